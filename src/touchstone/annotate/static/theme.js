// Sets the chosen theme before anything is drawn; without a choice the system's preference counts.
try {
  const chosen = localStorage.getItem("touchstone:theme");
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
} catch {
  // a browser that keeps nothing shows the system's preference
}
