"""What the members of a table do together: come and go, sit, agree, begin games. Steps to take, never state."""
