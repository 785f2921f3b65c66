// Before the first paint, so that a kept choice never flashes in the other theme.
try {
  const kept = localStorage.getItem("conduct-theme");
  if (kept === "light" || kept === "dark") document.documentElement.dataset.theme = kept;
} catch {
  // Storage may be closed to the page: the system's theme holds.
}
