import type { Browser, Page, Route } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { apiClient } from './support/api.ts';
import { endPages, sharedBrowser } from './support/browser.ts';
import { openSignedIn } from './support/dashboard.ts';
import { makeDataDir, removeDataDir, type Service, startService } from './support/process-tree.ts';
import { leavePage } from './support/watched-page.ts';

const dataDir = makeDataDir();
let service: Service;
let browser: Browser;

/** More than one answer of the API has. */
const turnsOfRunaway = 1100;
const failedTurns: ReadonlySet<number> = new Set([6, 1090]);
const usualSessions = 6;
const turnsOfUsual = 10;
const minuteMs = 60_000;

interface Turn {
  readonly session: string;
  readonly turn: number;
  readonly cached: number;
  readonly failed?: boolean;
  readonly sessionPlace: number;
}

/** Every fifth turn and the one behind it run the tests, one place lower than the agent. */
function lineOf({ session, turn, cached, failed = false, sessionPlace }: Turn): string {
  const isTest = turn % 5 <= 1;
  return JSON.stringify({
    request_id: `9d1c2b7e-3f0a-4c11-8b5${sessionPlace}-1a3c2f1f${String(turn).padStart(4, '0')}`,
    request_created_at: new Date(Date.now() - 30 * minuteMs + turn * 1000).toISOString(),
    provider: 'OPENAI',
    request_path: '/v1/chat/completions',
    request_model: isTest ? 'tool:run_tests' : 'gpt-4o',
    response_status: failed ? 500 : 200,
    session_id: session,
    session_name: 'nightly export',
    session_path: isTest ? '/agent/test' : '/agent',
    cost: 0.01,
    latency: 500,
    prompt_tokens: 1000 + turn,
    prompt_cache_read_tokens: Math.floor((1000 + turn) * cached),
    completion_tokens: 10,
    request_body: { messages: [{ role: 'user', content: `Is the export faster in turn ${turn}?` }] },
    response_body: {
      choices: [
        {
          message: {
            role: 'assistant',
            content:
              cached > 0
                ? `Part ${'abcdefghij'[turn - 1] ?? ''} of the export is faster now.`
                : `It is as slow as before with ${turn} rows.`,
          },
        },
      ],
    },
  });
}

async function importLines(lines: readonly string[]): Promise<void> {
  expect((await apiClient(service.api).call('POST', '/v1/import', lines.join('\n'))).status).toBe(200);
}

const turns = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index + 1);

beforeAll(async () => {
  service = await startService({ dataDir, environment: { GATELOG_INGEST_INTERVAL_MS: '20' } });
  for (let place = 1; place <= usualSessions; place += 1) {
    await importLines(turns(turnsOfUsual).map((turn) => lineOf({ session: `usual-${place}`, turn, cached: 0.8, sessionPlace: place })));
  }
  const runaway = turns(turnsOfRunaway).map((turn) => ({
    session: 'runaway',
    turn,
    cached: 0,
    failed: failedTurns.has(turn),
    sessionPlace: 9,
  }));
  await importLines(runaway.map(lineOf));
  await apiClient(service.api).stored(`9d1c2b7e-3f0a-4c11-8b59-1a3c2f1f${turnsOfRunaway}`);
  browser = await sharedBrowser();
});
afterAll(async () => {
  await endPages();
  await service?.stop();
  removeDataDir(dataDir);
});

const steps = (page: Page) => page.locator('[role=treegrid] [role=rowgroup] [role=row]');
const reasons = (page: Page) => page.getByRole('region', { name: 'Where the cost went' });
const panel = (page: Page) => page.getByRole('complementary', { name: 'Step' });
const open = (address: string) => openSignedIn(browser, service.api + address);

it('Sessions says how many requests failed, and whether all of a session did', async () => {
  const { page, complaints } = await open('/sessions?sort=failed');
  const first = page.locator('tbody tr').first();
  await first.getByText('some failed').waitFor();
  await expect.poll(() => first.getByRole('cell').allInnerTexts()).toEqual(expect.arrayContaining(['some failed', '1,100', '2']));
  await expect.poll(() => page.locator('tbody tr').nth(1).getByRole('cell').first().innerText()).toBe('ok');
  expect(complaints).toEqual([]);
  await leavePage(page);
});

it('keys go through the sessions from the moment they are there, and Enter opens one', async () => {
  const { page, complaints } = await open('/sessions?sort=total_cost');
  await page.locator('tbody a').nth(1).waitFor();
  const place = (): Promise<number> =>
    page.evaluate("[...document.querySelectorAll('tbody tr')].findIndex((row) => row.querySelector('a') === document.activeElement)");
  await page.keyboard.press('j');
  expect(await place()).toBe(0);
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  expect(await place()).toBe(2);
  await page.keyboard.press('k');
  await page.keyboard.press('k');
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/sessions\/runaway$/);
  await page.goBack();
  await page.locator('tbody a').nth(1).waitFor();
  await page.evaluate('document.activeElement.blur()');
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/sessions\/runaway$/);
  expect(complaints).toEqual([]);
  await leavePage(page);
});

it('failures are counted in the head beyond what is loaded, marked on a step and its group, and shown alone', async () => {
  const { page, complaints } = await open('/sessions/runaway');
  const failed = page.getByRole('link', { name: '2 failed steps' });
  await failed.waitFor();
  const group = steps(page).filter({ hasText: '1 failed' });
  await expect.poll(() => group.first().getAttribute('aria-expanded')).toBe('true');
  await steps(page).filter({ hasText: 'failed 500' }).first().waitFor();
  await failed.click();
  await page.getByText('2 of 1,100 steps', { exact: true }).waitFor();
  await expect.poll(() => steps(page).getByRole('gridcell').first().innerText()).toBe('6');
  expect(complaints).toEqual([]);
  await leavePage(page);
});

it('a row has its own words, and its model only where it changes', async () => {
  const { page } = await open('/sessions/usual-1');
  const second = steps(page).nth(2);
  await second.getByText('Is the export faster in turn 3?').waitFor();
  await second.getByText('Part c of the export is faster now.').waitFor();
  const widthOf = async (text: string, row: number): Promise<number> =>
    (await steps(page).nth(row).getByText(text, { exact: true }).boundingBox())?.width ?? 0;
  await expect.poll(() => widthOf('gpt-4o', 2)).toBeLessThan(2);
  await leavePage(page);
});

it('a runaway is told from an ordinary session, and each sentence leads to what shows it', async () => {
  const { page, complaints } = await open('/sessions/usual-2');
  await reasons(page).getByText('About as much as a usual session').waitFor();
  await expect.poll(() => reasons(page).getByRole('listitem').count()).toBe(1);

  await page.goto(`${service.api}/sessions/runaway`);
  await reasons(page).getByText('About 110 times a usual session: $11.00 against $0.10, the median of 6 others of this name').waitFor();
  await reasons(page).getByText('1,100 steps against 10.').waitFor();
  await reasons(page).getByText('0% of the input came from the provider’s cache, against 80%.').waitFor();
  await reasons(page).getByRole('link', { name: 'Compare sessions by steps' }).click();
  await page.waitForURL(/\/sessions\?.*sort=total_requests/);
  await expect.poll(() => page.locator('tbody tr').count()).toBe(usualSessions + 1);
  await page.goBack();

  // What is said of single steps is said once all are there, and they come by themselves.
  await reasons(page).getByText('of 1,100 steps repeat an earlier answer (numbers aside)').waitFor();
  await expect.poll(() => reasons(page).getByRole('listitem').count()).toBeGreaterThan(3);
  // Many of them stand below the figures: beside these they would leave a hole.
  const gap = async (): Promise<number> => {
    const [figures, sentences] = await Promise.all([page.locator('header dl').boundingBox(), reasons(page).boundingBox()]);
    return (sentences?.y ?? -Infinity) - (figures?.y ?? Infinity) - (figures?.height ?? 0);
  };
  await expect.poll(gap).toBeGreaterThanOrEqual(0);
  await reasons(page).getByRole('link', { name: 'Show the first repeat' }).click();
  await panel(page).getByText('step 2 of 1,100').waitFor();
  await reasons(page).getByRole('link', { name: 'Show the largest that was not' }).click();
  await panel(page).getByText('step 1,100 of 1,100').waitFor();
  expect(new URL(page.url()).pathname).toBe('/sessions/runaway');
  expect(complaints).toEqual([]);
  await leavePage(page);
});

/** Sessions of one request that have a property in common. */
function alikeLine(name: string, place: number): string {
  return JSON.stringify({
    request_id: `9d1c2b7e-3f0a-4c11-8b60-1a3c2f1f000${place}`,
    request_created_at: new Date(Date.now() - 30 * minuteMs).toISOString(),
    provider: 'OPENAI',
    request_model: 'gpt-4o',
    response_status: 200,
    session_id: `alike-${place}`,
    session_name: name,
    properties: { Desk: 'north' },
    cost: 0.02,
  });
}

it('where few have its name, those with its properties count too, the sentence says so, and the list has them', async () => {
  const names = ['rare', 'rare', 'a', 'b', 'c', 'd'];
  await importLines(names.map(alikeLine));
  await apiClient(service.api).stored(`9d1c2b7e-3f0a-4c11-8b60-1a3c2f1f000${names.length - 1}`);
  const { page, complaints } = await open('/sessions/alike-0');
  await reasons(page).getByText('the median of 5 others of this name or with these properties in 30 days').waitFor();
  await reasons(page).getByRole('link', { name: 'Compare sessions by cost' }).click();
  await page.waitForURL(/\/sessions\?.*sort=total_cost/);
  await expect.poll(() => page.locator('tbody tr').count()).toBe(names.length);
  expect(complaints).toEqual([]);
  await leavePage(page);
});

it('a search that finds no session can be cleared, with the name that is looked for', async () => {
  const { page, complaints } = await open('/sessions?q=user%3Anobody&name=none');
  await page.getByRole('button', { name: 'Clear the filter' }).click();
  await page.waitForURL((url) => !url.searchParams.has('q') && !url.searchParams.has('name'));
  await page.locator('tbody tr').first().waitFor();
  expect(complaints).toEqual([]);
  await leavePage(page);
});

it('the page itself does not scroll, a step is looked at beside the list, and the row of it stays in view', async () => {
  const { page } = await open('/sessions/runaway');
  await steps(page).nth(2).click();
  await panel(page).getByText('step 3 of 1,100').waitFor();
  expect(new URL(page.url()).pathname).toBe('/sessions/runaway');
  await expect.poll(() => page.evaluate('document.documentElement.scrollHeight - window.innerHeight')).toBeLessThanOrEqual(0);
  for (let pressed = 0; pressed < 40; pressed += 1) await page.keyboard.press('j');
  const chosen = page.locator('[role=treegrid] [aria-selected=true]');
  await expect.poll(() => chosen.getAttribute('aria-rowindex')).toBe('44');
  // The list scrolls once the chosen row is drawn.
  const below = async (): Promise<number> => {
    const [row, list] = await Promise.all([chosen.boundingBox(), page.locator('[role=treegrid]').boundingBox()]);
    return (row?.y ?? Infinity) + (row?.height ?? 0) - ((list?.y ?? 0) + (list?.height ?? 0));
  };
  await expect.poll(below).toBeLessThanOrEqual(1);
  // What is loaded above the list takes from its height, as a smaller window does.
  await page.setViewportSize({ width: 1280, height: 600 });
  await expect.poll(below).toBeLessThanOrEqual(1);
  const top = (): Promise<number> => page.evaluate("document.querySelector('[role=treegrid]').scrollTop");
  // A reader who has scrolled away from the chosen row stays there.
  await page.evaluate("document.querySelector('[role=treegrid]').scrollTop = 9000");
  await expect.poll(top).toBe(9000);
  await page.setViewportSize({ width: 1280, height: 500 });
  const height = (): Promise<number> => page.evaluate("document.querySelector('[role=treegrid]').clientHeight");
  await expect.poll(height).toBeLessThan(400);
  // Two frames: what reacts to the size has run.
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
  expect(await top()).toBe(9000);
  await page.goto(`${service.api}/sessions/runaway`);
  await steps(page).nth(3).waitFor();
  await page.evaluate("document.querySelector('[role=treegrid]').scrollTop = 1500");
  await expect.poll(top).toBe(1500);
  await page.locator('[role=treegrid]').press('Home');
  await expect.poll(top).toBe(0);
  await leavePage(page);
});

it('/ finds steps by their words, also those that were not loaded, and Escape brings all back', async () => {
  const { page, complaints } = await open('/sessions/runaway');
  await steps(page).nth(3).waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('turn 1098');
  await page.getByText('1 of 1,100 steps', { exact: true }).waitFor();
  await expect.poll(() => steps(page).getByRole('gridcell').first().innerText()).toBe('1,098');
  await page.keyboard.press('Escape');
  await expect.poll(() => steps(page).count()).toBeGreaterThan(10);
  expect(complaints).toEqual([]);
  await leavePage(page);
});

/** The steps behind the first ones, which come as requests. */
const furtherSteps = '**/v1/request/query-clickhouse';
const isFurther = (route: Route): boolean => route.request().postData()?.includes('"limit":1000') === true;

it('all steps come by themselves, and the session is summed up once', async () => {
  const { page, requests, complaints } = await open('/sessions/runaway');
  await steps(page).nth(3).waitFor();
  await expect
    .poll(async () => {
      await page.evaluate("document.querySelector('[role=treegrid]').scrollTop = 1e6");
      return [await steps(page).last().getByRole('gridcell').first().innerText(), await steps(page).last().getAttribute('aria-busy')];
    })
    .toEqual(['1,100', null]);
  const paths = requests.map((request) => new URL(request.url()).pathname);
  expect(paths.filter((path) => path === '/v1/session/runaway')).toHaveLength(1);
  expect(complaints).toEqual([]);
  await leavePage(page);
});

it('the browser asks for the first steps before the page does, and nobody asks again', async () => {
  const { page, requests, complaints } = await open('/sessions/usual-1');
  await steps(page).nth(3).waitFor();
  const before = requests.length;
  await page.goto(`${service.api}/sessions/runaway`);
  await steps(page).nth(3).waitFor();
  const ofSession = requests.slice(before).filter((request) => new URL(request.url()).pathname === '/v1/session/runaway');
  expect(ofSession).toHaveLength(1);
  const initiators = `performance.getEntriesByType('resource').filter(({ name }) => name.includes('/v1/session/')).map((entry) => entry.initiatorType)`;
  expect(await page.evaluate(initiators)).not.toContain('fetch');
  expect(complaints).toEqual([]);
  await leavePage(page);
});

it('until they are there, the list has their places, which say so', async () => {
  const { page, complaints } = await open('/sessions/usual-1');
  await steps(page).nth(3).waitFor();
  const held: Route[] = [];
  await page.route(furtherSteps, (route) => (isFurther(route) ? void held.push(route) : route.continue()));
  await page.goto(`${service.api}/sessions/runaway`);
  const list = page.locator('[role=treegrid]');
  await list.getByRole('row').nth(5).waitFor();
  await expect.poll(async () => Number(await list.getAttribute('aria-rowcount'))).toBeGreaterThan(turnsOfRunaway);
  await page.evaluate("document.querySelector('[role=treegrid]').scrollTop = 1e6");
  await steps(page).getByText('Loading step 1,100…').waitFor();
  await expect.poll(() => steps(page).last().getAttribute('aria-busy')).toBe('true');
  expect(held).toHaveLength(1);
  await held[0]?.continue();
  await expect.poll(() => list.locator('[aria-busy]').count()).toBe(0);
  await page.evaluate("document.querySelector('[role=treegrid]').scrollTop = 1e6");
  await steps(page).getByText('Is the export faster in turn 1100?').waitFor();
  expect(complaints).toEqual([]);
  await leavePage(page);
});

it('steps that could not be loaded are asked for again on demand, and those that are there stay', async () => {
  const { page } = await open('/sessions/usual-1');
  await steps(page).nth(3).waitFor();
  const problem = { error: 'invalid_parameter', message: 'Not now.', request_id: 'x' };
  await page.route(furtherSteps, (route) => (isFurther(route) ? route.fulfill({ status: 422, json: problem }) : route.continue()));
  await page.goto(`${service.api}/sessions/runaway`);
  const refused = page.getByRole('alert').filter({ hasText: 'Some steps could not be loaded.' });
  await refused.waitFor();
  await steps(page).getByText('Is the export faster in turn 3?').waitFor();
  await page.unroute(furtherSteps);
  await refused.getByRole('button', { name: 'Try again' }).click();
  await refused.waitFor({ state: 'detached' });
  await expect.poll(() => page.locator('[role=treegrid] [aria-busy]').count()).toBe(0);
  await leavePage(page);
});
