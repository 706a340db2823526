const key = 'gatelog.invitation';

/**
 * The text of an invitation that the address names, which stays while the browser is at the issuer. It stands behind the number sign,
 * which browsers send to nobody, and is taken out of the address, so that no picture of the page shows it.
 */
export function keepInvitation(): string | undefined {
  const [, given] = /^#invitation=([\w-]{1,128})$/.exec(location.hash) ?? [];
  if (given !== undefined) {
    sessionStorage.setItem(key, given);
    history.replaceState(history.state, '', location.pathname + location.search);
  }
  return sessionStorage.getItem(key) ?? undefined;
}

export function forgetInvitation(): void {
  sessionStorage.removeItem(key);
}
