// Before anything is painted: the appearance that was chosen here, if one was.
{
  let theme = null;
  try {
    theme = localStorage.getItem("parlour.theme");
  } catch {
    // storage is switched off: as the system has it
  }
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
}
