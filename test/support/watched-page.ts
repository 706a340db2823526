import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, BrowserContext, Page, Request } from 'playwright-core';
import { byLength } from './test-length.ts';

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export interface View {
  readonly width: number;
  readonly colorScheme: 'light' | 'dark';
  readonly reducedMotion?: 'reduce';
}

export const everyView: readonly View[] = [1280, 390].flatMap((width) => [
  { width, colorScheme: 'light' } as const,
  { width, colorScheme: 'dark' } as const,
]);

/** In `npm test` a page is opened wide and light, and becomes dark and narrow where it is. In full it is opened in each view. */
export const views = everyView.slice(0, byLength(1, everyView.length));

/** A page with what a visitor must never cause. */
export interface WatchedPage {
  readonly page: Page;
  readonly view: View;
  /** Lines on the console, uncaught errors, and requests to another origin, also those that the browser has blocked. */
  readonly complaints: readonly string[];
  readonly requests: readonly Request[];
}

/** A page may need this long on a busy machine; the browser's driver would give it 30 seconds. */
const patientMs = 120_000;

export type Cookie = Parameters<BrowserContext['addCookies']>[0][number];

/** Contexts that tests have left, by what they were opened with. A tab that has shown the dashboard opens it again in half the time. */
const left = new Map<string, BrowserContext[]>();
const openedWith = new WeakMap<BrowserContext, { readonly name: string; readonly origin: string; readonly view: View }>();

/** Opens an address in a context that has these cookies and nothing of another test. The caller leaves the page. */
export async function openWatched(browser: Browser, address: string, view: View, cookies: readonly Cookie[] = []): Promise<WatchedPage> {
  const { origin } = new URL(address);
  const name = JSON.stringify([origin, view]);
  const context = takeLeft(name) ?? (await openContext(browser, origin, view));
  openedWith.set(context, { name, origin, view });
  await context.addCookies(cookies);
  const page = context.pages()[0] ?? (await context.newPage());
  const complaints: string[] = [];
  const requests: Request[] = [];
  page.on('console', (message) => complaints.push(`console: ${message.text()}`));
  page.on('pageerror', (error) => complaints.push(`error: ${error.message}`));
  page.on('request', (request) => {
    const url = new URL(request.url());
    requests.push(request);
    if (url.origin !== origin && url.protocol !== 'data:') complaints.push(`foreign request: ${request.url()}`);
  });
  await page.goto(address);
  return { page, view, complaints, requests };
}

async function openContext(browser: Browser, origin: string, { width, ...preferences }: View): Promise<BrowserContext> {
  // A certificate of a test is its own authority.
  const ignoreHTTPSErrors = origin.startsWith('https:');
  const context = await browser.newContext({ viewport: { width, height: 900 }, ignoreHTTPSErrors, ...preferences });
  context.setDefaultTimeout(patientMs);
  return context;
}

/** A browser may have ended meanwhile, and its contexts with it. */
function takeLeft(name: string): BrowserContext | undefined {
  for (;;) {
    const context = left.get(name)?.pop();
    if (context === undefined || context.pages().length > 0) return context;
  }
}

/** Ends what a test has done in a page that {@link openWatched} opened: the next test gets its tab without cookies, storage and routes. */
export async function leavePage(page: Page): Promise<void> {
  const context = page.context();
  const opened = openedWith.get(context);
  if (opened === undefined || !(await isCleared(page, opened))) {
    await context.close();
    return;
  }
  left.set(opened.name, [...(left.get(opened.name) ?? []), context]);
}

/** @returns false for a page that cannot go on, such as one whose service has ended. */
async function isCleared(page: Page, { origin, view }: { readonly origin: string; readonly view: View }): Promise<boolean> {
  const context = page.context();
  try {
    for (const name of ['console', 'pageerror', 'request', 'response'] as const) page.removeAllListeners(name);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    for (const other of context.pages()) if (other !== page) await other.close();
    // Without a script, and of the same origin: the process of the tab stays, with the code that it has compiled.
    await page.goto(`${origin}/readyz`);
    await page.evaluate('localStorage.clear(); sessionStorage.clear()');
    await context.clearCookies();
    await context.clearPermissions();
    await page.setViewportSize({ width: view.width, height: 900 });
    await page.emulateMedia({ media: null, colorScheme: view.colorScheme, reducedMotion: view.reducedMotion ?? 'no-preference' });
    return true;
  } catch {
    return false;
  }
}

/** @returns what the rules of axe find, such as missing labels and too little contrast; in `npm test` also the contrast in dark colours. */
export async function accessibilityFaults({ page, view }: WatchedPage): Promise<readonly string[]> {
  await page.evaluate(`${axeSource}; undefined`);
  const found = await axeFaults(page, {});
  if (byLength(view.colorScheme === 'dark', true)) return found;
  await page.emulateMedia({ colorScheme: 'dark' });
  const inDark = await axeFaults(page, { runOnly: ['color-contrast'] });
  await page.emulateMedia({ colorScheme: 'light' });
  return [...found, ...inDark.map((fault) => `dark: ${fault}`)];
}

/** Colours that are changing have a contrast of their own. */
const settled = `Promise.allSettled(document.getAnimations()
  .filter((animation) => animation.effect.getComputedTiming().endTime !== Infinity)
  .map((animation) => animation.finished))`;

async function axeFaults(page: Page, options: { readonly runOnly?: readonly string[] }): Promise<readonly string[]> {
  return page.evaluate<readonly string[]>(
    `${settled}.then(() => axe.run(document, ${JSON.stringify({ resultTypes: ['violations'], ...options })})).then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ target }) => target.join(' ')).slice(0, 5).join(', ')))`,
  );
}

const narrow = 390;

/** @returns by how many pixels the page is wider than its window; in `npm test` also when that has become narrow. */
export async function overflow({ page, view: { width } }: WatchedPage): Promise<number> {
  const wide = await pixelsBeyond(page);
  if (byLength(width === narrow, true)) return wide;
  const height = page.viewportSize()?.height ?? 0;
  await page.setViewportSize({ width: narrow, height });
  const inNarrow = await pixelsBeyond(page);
  await page.setViewportSize({ width, height });
  return Math.max(wide, inNarrow);
}

/** A page may need some frames to fit a new window. */
async function pixelsBeyond(page: Page): Promise<number> {
  return page.evaluate<number>(`new Promise((resolve) => {
    let frames = 0;
    const look = () => {
      const beyond = document.documentElement.scrollWidth - innerWidth;
      if (beyond <= 0 || (frames += 1) > 60) resolve(beyond);
      else requestAnimationFrame(look);
    };
    requestAnimationFrame(() => requestAnimationFrame(look));
  })`);
}
