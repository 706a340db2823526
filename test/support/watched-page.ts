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

/** Opens an address in a context of its own, which has these cookies. The caller closes the page. */
export async function openWatched(browser: Browser, address: string, view: View, cookies: readonly Cookie[] = []): Promise<WatchedPage> {
  const { width, ...preferences } = view;
  const context = await browser.newContext({ viewport: { width, height: 900 }, ...preferences });
  context.setDefaultTimeout(patientMs);
  await context.addCookies(cookies);
  const page = await context.newPage();
  const complaints: string[] = [];
  const requests: Request[] = [];
  const { origin } = new URL(address);
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
