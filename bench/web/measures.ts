import type { Browser, BrowserContext, Page } from 'playwright-core';
import { makeRandom } from '../query/records.ts';
import { longSession, requestsOfLongSession } from './fill.ts';
import { change, type ListChange, type Scrolled, scrollRows, untilSeen, untilTreeEnd, watchList } from './in-page.ts';

/** A served dashboard, a key and the request with the large body. */
export interface Site {
  readonly api: string;
  readonly key: string;
  readonly largeId: string;
}

/** Milliseconds, by what was measured. */
export interface Round {
  readonly coldRows: readonly number[];
  readonly warmRows: readonly number[];
  /** By kind of filter. */
  readonly filters: Readonly<Record<string, readonly ListChange[]>>;
  /** Of the list, by rows a second. */
  readonly scrolled: readonly AtRate[];
  readonly session: readonly number[];
  readonly sessionEnd: readonly number[];
  readonly sessionScrolled: readonly AtRate[];
  readonly rawTab: readonly number[];
  readonly rawAddress: readonly number[];
  readonly overview: readonly number[];
}

export interface AtRate extends Scrolled {
  readonly rowsPerSecond: number;
}

/** A steady scroll, a quick one and a fling. */
const rowsPerSecond = [60, 300, 1000] as const;
const opensInRound = 5;
const changesOfKind = 5;

const list = '/requests?range=all';
const cell = '[role=grid] [role=gridcell]';

const random = makeRandom(23);
const upTo = (limit: number): number => Math.floor(random() * limit);

/** Filters of each kind; none is asked for twice. */
const filterKinds: Readonly<Record<string, () => string>> = {
  property: () => `Team:team-${upTo(50)} latency:>${upTo(1000)}`,
  user: () => `user:user-${upTo(2000)}`,
  status: () => `status:>=400 latency:>${upTo(5000)}`,
  cost: () => `cost:>${(0.0002 + random() * 0.0003).toFixed(7)}`,
  'two properties and not': () => `Feature:feature-${upTo(20)} Environment:staging -user:user-${upTo(2000)}`,
  'word in the bodies': () => `quarterly Team:team-${upTo(50)} latency:>${upTo(1000)}`,
};

/** Signs in, in a context whose state others may start with. */
async function signIn(browser: Browser, { api, key }: Site): Promise<BrowserContext> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const page = await context.newPage();
  await page.goto(`${api}/requests?range=all`);
  await page.waitForSelector('input[name=key]');
  await page.fill('input[name=key]', key);
  await page.keyboard.press('Enter');
  await page.waitForSelector(cell);
  await page.close();
  return context;
}

async function opened(context: BrowserContext, address: string, program: string): Promise<{ page: Page; ms: number }> {
  const page = await context.newPage();
  // The page goes on while it is looked at.
  await page.goto(address, { waitUntil: 'commit' });
  return { page, ms: await page.evaluate<number>(program) };
}

/** Opens an address some times. @param isCold with an empty cache each time. */
async function openings(signedIn: BrowserContext, address: string, program: string, isCold = false): Promise<readonly number[]> {
  const state = await signedIn.storageState();
  const times: number[] = [];
  for (let open = 0; open < opensInRound; open += 1) {
    const context = isCold ? await newContext(signedIn, state) : signedIn;
    const { page, ms } = await opened(context, address, program);
    times.push(ms);
    await page.close();
    if (isCold) await context.close();
  }
  return times;
}

async function newContext(
  like: BrowserContext,
  storageState: Awaited<ReturnType<BrowserContext['storageState']>>,
): Promise<BrowserContext> {
  const browser = like.browser();
  if (browser === null) throw new Error('The browser is gone.');
  return browser.newContext({ viewport: { width: 1280, height: 900 }, storageState });
}

async function changeFilters(context: BrowserContext, { api }: Site): Promise<Round['filters']> {
  const { page } = await opened(context, `${api}${list}`, untilSeen(cell));
  const search = page.getByRole('combobox', { name: 'Search requests' });
  const times: Record<string, ListChange[]> = {};
  for (let turn = 0; turn < changesOfKind; turn += 1) {
    for (const [kind, draw] of Object.entries(filterKinds)) {
      const text = draw();
      await search.fill(text);
      await page.evaluate(watchList);
      await search.press('Enter');
      const changed = await page.evaluate<ListChange>(change);
      if (new URL(page.url()).searchParams.get('q') !== text) throw new Error(`The list does not show ${text}.`);
      (times[kind] ??= []).push(changed);
    }
  }
  await page.close();
  return times;
}

/** Scrolls what an address shows, opened anew for each rate. */
async function scrolledAt(context: BrowserContext, address: string, role: 'grid' | 'treegrid', rows: number): Promise<readonly AtRate[]> {
  const scrolled: AtRate[] = [];
  for (const rate of rowsPerSecond) {
    const { page } = await opened(context, address, untilSeen(`[role=${role}] [role=gridcell]`));
    scrolled.push({ rowsPerSecond: rate, ...(await page.evaluate<Scrolled>(scrollRows(role, rows, rate))) });
    await page.close();
  }
  return scrolled;
}

async function openRawTab(context: BrowserContext, { api, largeId }: Site): Promise<readonly number[]> {
  const times: number[] = [];
  for (let open = 0; open < opensInRound; open += 1) {
    const { page } = await opened(context, `${api}${list}&request=${largeId}`, untilSeen('[aria-label=Conversation]'));
    await page.evaluate(watchSeenInEditor);
    await page.getByRole('tab', { name: 'Raw' }).click();
    times.push(await page.evaluate<number>(change));
    await page.close();
  }
  return times;
}

/** TRICKY: selectors do not see into the shadow tree of the editor. */
const editorSeen = `Array.from(document.querySelectorAll('[aria-label=Request] *')).some(({ shadowRoot }) => (shadowRoot?.querySelector('.cm-line')?.textContent ?? '') !== '')`;

const watchSeenInEditor = `window.benchChange = new Promise((resolve) => {
  addEventListener('pointerdown', () => {
    const since = performance.now();
    const look = () => (${editorSeen} ? resolve(performance.now() - since) : requestAnimationFrame(look));
    look();
  }, { capture: true, once: true });
}), undefined`;

const untilEditor = `new Promise((resolve) => {
  const look = () => (${editorSeen} ? resolve(performance.now()) : requestAnimationFrame(look));
  look();
})`;

/** How many requests the list says it has. */
export async function totalShown(browser: Browser, site: Site): Promise<string> {
  const context = await signIn(browser, site);
  const { page } = await opened(context, `${site.api}${list}`, untilSeen(cell));
  const total = await page.locator('header p').filter({ hasText: 'request' }).first().innerText();
  await context.close();
  return total;
}

/** Measures everything once. @param scrolledRows how many rows are scrolled at each rate. */
export async function measureRound(browser: Browser, site: Site, scrolledRows: number): Promise<Round> {
  const { api, largeId } = site;
  const context = await signIn(browser, site);
  const session = `${api}/sessions/${encodeURIComponent(longSession)}`;
  try {
    const coldRows = await openings(context, `${api}${list}`, untilSeen(cell), true);
    const warmRows = await openings(context, `${api}${list}`, untilSeen(cell));
    const filters = await changeFilters(context, site);
    const rawTab = await openRawTab(context, site);
    const rawAddress = await openings(context, `${api}${list}&request=${largeId}&tab=raw`, untilEditor);
    const overview = await openings(context, `${api}/?range=30d`, untilSeen('figure canvas', 'figure'));
    const tree = await openings(context, session, untilSeen('[role=treegrid] [role=gridcell]'));
    const { page } = await opened(context, session, untilSeen('[role=treegrid] [role=gridcell]'));
    const end = await page.evaluate<number>(untilTreeEnd(requestsOfLongSession));
    await page.close();
    const sessionScrolled = await scrolledAt(context, session, 'treegrid', scrolledRows);
    const scrolled = await scrolledAt(context, `${api}${list}`, 'grid', scrolledRows);
    return { coldRows, warmRows, filters, rawTab, rawAddress, overview, session: tree, sessionEnd: [end], sessionScrolled, scrolled };
  } finally {
    await context.close();
  }
}
