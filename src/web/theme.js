/** A button that goes through the system's colours, light and dark; the choice stays in this browser. */
export function createTheme(button) {
  const themes = ['system', 'light', 'dark'];
  const apply = (theme) => {
    if (theme === 'system') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    button.title = `Colours: ${theme}`;
    try {
      localStorage.setItem('theme', theme);
    } catch {
      // A browser that keeps nothing begins with the system's colours each time.
    }
    return theme;
  };
  let theme = apply(kept(themes));
  button.addEventListener('click', () => {
    theme = apply(themes[(themes.indexOf(theme) + 1) % themes.length]);
  });
}

function kept(themes) {
  try {
    const theme = localStorage.getItem('theme');
    return themes.includes(theme) ? theme : 'system';
  } catch {
    return 'system';
  }
}
