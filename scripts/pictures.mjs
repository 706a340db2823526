/**
 * Makes the pictures of the README and of docs/: the dashboard on the demo, in a real browser.
 *
 * Usage: npm run pictures               the pictures of docs/pictures
 *        npm run pictures -- FOLDER     every page, light, dark and narrow, into a folder, to be looked at
 */
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import chromium from '@sparticuz/chromium';
import { chromium as launcher } from 'playwright-core';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const port = 18_780;
const address = `http://127.0.0.1:${port + 1}`;

/**
 * @typedef {object} Picture
 * @property {string} name
 * @property {string} path
 * @property {string} [part] a selector of what is there when the page is whole
 * @property {(page: import('playwright-core').Page) => Promise<void>} [act] what is done on the page before
 */

/** @type {readonly Picture[]} */
const pictures = [
  { name: 'overview', path: '/?range=7d&by=properties.Team', part: 'article [role=img]' },
  { name: 'requests', path: '/requests?range=7d&q=status:%3E=400', part: '[role=grid] [role=rowgroup] [role=row]', act: openFirst },
  { name: 'session', path: '/sessions?range=7d&sort=total_cost', part: 'table', act: openMostExpensive },
  { name: 'alert', path: '/alerts/new?metric=cost&by=%5B%22session%22%5D&threshold=2', part: 'figure' },
];

/** @type {readonly Picture[]} */
const everyPage = [
  ...pictures,
  { name: 'requests-list', path: '/requests?range=7d', part: '[role=grid] [role=rowgroup] [role=row]' },
  {
    name: 'requests-builder',
    path: '/requests?range=7d&builder=true&q=Team:support%20(status:%3E=400%20OR%20latency:%3E2000)',
    part: '[role=grid]',
  },
  { name: 'request-raw', path: '/requests?range=7d&tab=raw', part: '[role=grid] [role=rowgroup] [role=row]', act: openFirst },
  { name: 'request-details', path: '/requests?range=7d&tab=details', part: '[role=grid] [role=rowgroup] [role=row]', act: openFirst },
  { name: 'request-cost', path: '/requests?range=7d&tab=cost', part: '[role=grid] [role=rowgroup] [role=row]', act: openFirst },
  { name: 'sessions', path: '/sessions?range=7d&sort=total_cost', part: 'table' },
  { name: 'session-conversation', path: '/sessions?range=7d&sort=total_cost', part: 'table', act: openConversation },
  { name: 'session-timeline', path: '/sessions?range=7d&sort=total_cost', part: 'table', act: openTimeline },
  { name: 'compare', path: '/requests?range=7d', part: '[role=grid] [role=rowgroup] [role=row]', act: openCompare },
  { name: 'explore', path: '/explore?range=7d&by=%5B%22model%22%5D', part: '[role=img]' },
  { name: 'explore-bars', path: '/explore?range=30d&chart=bars&by=%5B%22properties.Team%22%5D', part: '[role=img]' },
  { name: 'explore-pivot', path: '/explore?range=7d&chart=pivot&by=%5B%22model%22%2C%22properties.Team%22%5D', part: 'table' },
  { name: 'boards', path: '/boards', part: 'h1' },
  { name: 'board', path: '/boards', part: 'main li a, main tbody a', act: openFirstLink },
  { name: 'properties', path: '/properties?range=7d&name=Team', part: 'table' },
  { name: 'users', path: '/users?range=7d', part: 'table' },
  { name: 'user', path: '/users?range=7d', part: 'table', act: openFirstLink },
  { name: 'alerts', path: '/alerts', part: 'table' },
  { name: 'alert-page', path: '/alerts', part: 'table', act: openFirstLink },
  { name: 'webhooks', path: '/webhooks', part: 'h1' },
  { name: 'webhook', path: '/webhooks', part: 'table', act: openFirstLink },
  { name: 'webhook-new', path: '/webhooks/new', part: 'form[aria-label=Webhook]' },
  { name: 'keys', path: '/keys', part: 'table' },
  { name: 'provider-keys', path: '/provider-keys', part: 'h1' },
  { name: 'prices', path: '/prices?q=gpt-4o', part: 'table' },
  { name: 'limits', path: '/limits', part: 'h1' },
  { name: 'data', path: '/data', part: 'form' },
  { name: 'health', path: '/health', part: 'dl' },
  { name: 'start', path: '/start', part: 'pre' },
  { name: 'settings', path: '/settings', part: 'dl' },
  { name: 'not-found', path: '/nowhere', part: 'h1' },
];

/** What stands where something is still asked for. */
const waits = /^(?:Loading|Running the rule)/;

/** @typedef {{ suffix: string, width: number, height: number, colorScheme: 'light' | 'dark' }} View */

/** @type {readonly View[]} */
const everyView = [
  { suffix: '-light', width: 1440, height: 900, colorScheme: 'light' },
  { suffix: '-dark', width: 1440, height: 900, colorScheme: 'dark' },
  { suffix: '-narrow', width: 390, height: 844, colorScheme: 'light' },
  { suffix: '-narrow-dark', width: 390, height: 844, colorScheme: 'dark' },
];

/** @param {import('playwright-core').Page} page */
async function openFirst(page) {
  await page.focus('[role=grid]');
  await page.keyboard.press('j');
  await page.waitForURL(/request=/);
}

/** @param {import('playwright-core').Page} page */
async function openMostExpensive(page) {
  await page.locator('tbody a').first().click();
  await page.waitForSelector('[role=treegrid] [role=rowgroup] [role=row]');
}

/** @param {import('playwright-core').Page} page */
async function openConversation(page) {
  await openMostExpensive(page);
  // The step beside it has such a tab too.
  await page.getByRole('tab', { name: 'Conversation' }).first().click();
  await page.waitForSelector('[aria-label="Conversation 1"]');
}

/** @param {import('playwright-core').Page} page */
async function openTimeline(page) {
  await openMostExpensive(page);
  await page.getByRole('tab', { name: 'Timeline' }).click();
}

/** @param {import('playwright-core').Page} page */
async function openCompare(page) {
  const list = page.url();
  const ids = [];
  for (const place of [0, 1]) {
    await page.goto(list);
    await page.locator('[role=grid] [role=rowgroup] [role=row]').nth(place).click();
    await page.waitForURL(/request=/);
    ids.push(new URL(page.url()).searchParams.get('request') ?? '');
  }
  const [left = '', right = ''] = ids;
  await page.goto(`${address}/requests/compare?${new URLSearchParams({ left, right }).toString()}`);
  await page.getByRole('heading', { name: 'Figures' }).waitFor();
}

/** The first of a list of what has a page of its own. @param {import('playwright-core').Page} page */
async function openFirstLink(page) {
  const list = page.url();
  await page.locator('main li a, main tbody a').first().click();
  await page.waitForURL((url) => url.href !== list);
  await page.locator('main h1').waitFor();
}

/** @returns the demo's key, once it is ready. */
async function startDemo() {
  const demo = spawn(process.execPath, [join(root, 'dist', 'cli', 'main.js'), 'demo', '--port', String(port)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let key = '';
  for await (const line of createInterface({ input: demo.stdout })) {
    key = /^Key\s+(\S+)/.exec(line)?.[1] ?? key;
    if (line.startsWith('Ctrl-C')) return { demo, key };
  }
  throw new Error('The demo ended before it was ready.');
}

/** @typedef {{ browser: import('playwright-core').Browser, key: string, folder: string }} Studio */

/**
 * @param {Studio} studio
 * @param {View} view
 * @param {readonly Picture[]} wanted
 */
async function take({ browser, key, folder }, { suffix, width, height, colorScheme }, wanted) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme, reducedMotion: 'reduce' });
  const page = await context.newPage();
  await page.goto(`${address}/settings`);
  await page.fill('input[name=key]', key);
  await page.keyboard.press('Enter');
  await page.waitForSelector('dl');
  for (const { name, path, part, act } of wanted) {
    await page.goto(address + path);
    if (part !== undefined) await page.locator(part).first().waitFor();
    await act?.(page);
    await page.waitForLoadState('networkidle');
    await page.getByText(waits).first().waitFor({ state: 'detached' });
    writeFileSync(join(folder, `${name}${suffix}.png`), await page.screenshot());
    process.stderr.write(`${name}${suffix}\n`);
  }
  await context.close();
}

const [given] = process.argv.slice(2);
const folder = given ?? join(root, 'docs', 'pictures');
mkdirSync(folder, { recursive: true });
const { demo, key } = await startDemo();
const args = chromium.args.filter((argument) => argument !== '--single-process');
const browser = await launcher.launch({ executablePath: await chromium.executablePath(), args, headless: true });
const studio = { browser, key, folder };
try {
  if (given === undefined) {
    await take(studio, { suffix: '', width: 1280, height: 800, colorScheme: 'light' }, pictures);
  } else {
    for (const view of everyView) await take(studio, view, everyPage);
  }
} finally {
  await browser.close();
  demo.kill('SIGINT');
}
