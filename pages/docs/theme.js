/** The theme that was chosen in the dashboard, before anything is painted; without one the system's. */
const theme = localStorage.getItem('gatelog.theme');
if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
