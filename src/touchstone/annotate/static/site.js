// What every page does: the theme, and logging out.
import { api, find } from "./client.js";

const root = document.documentElement;
const toggle = find(document, "[data-theme-toggle]");
const system = matchMedia("(prefers-color-scheme: dark)");

function isDark() {
  return root.dataset.theme ? root.dataset.theme === "dark" : system.matches;
}

function showTheme() {
  toggle.textContent = isDark() ? "Light" : "Dark";
}

toggle.addEventListener("click", () => {
  root.dataset.theme = isDark() ? "light" : "dark";
  try {
    localStorage.setItem("touchstone:theme", root.dataset.theme);
  } catch {
    // it holds for this page
  }
  showTheme();
});
system.addEventListener("change", showTheme);
showTheme();

document.querySelector("[data-log-out]")?.addEventListener("click", async () => {
  await api("DELETE", "/api/session");
  location.assign("/login");
});
