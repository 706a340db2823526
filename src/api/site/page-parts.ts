/** The parts of the dashboard that a page needs before it shows its data, as `web/app/router.tsx` loads them, by the page's address. */
export function partsOf({ pathname, searchParams }: URL): readonly string[] {
  if (pathname === '/requests') {
    const isRaw = searchParams.has('request') && searchParams.get('tab') === 'raw';
    return ['expected', 'requests-page', ...(isRaw ? ['raw-tab', 'editor'] : [])];
  }
  return /^\/sessions\/[^/]+$/.test(pathname) ? ['session-parts', 'session-page'] : [];
}
