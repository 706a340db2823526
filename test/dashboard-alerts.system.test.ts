import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apiClient, type ApiClient } from './support/api.ts';
import { endPages, sharedBrowser } from './support/browser.ts';
import { desktop, expectGoodPage, openSignedIn, tabTo } from './support/dashboard.ts';
import { eventually } from './support/eventually.ts';
import { logCall } from './support/log-call.ts';
import { makeDataDir, removeDataDir, type Service, startService, testKey } from './support/process-tree.ts';
import { leavePage, views } from './support/watched-page.ts';

const dataDir = makeDataDir();
let service: Service;
let browser: Browser;
let api: ApiClient;
/** Of a rule that fires, with names as a caller would send them. */
let hostileRule: string;
let readKey: string;

/** Markup, a script, and characters that turn the direction of a text or cannot be seen; long, and without a place to break. */
const hostile = `<img src=x onerror="document.title=1"><script>document.title=1</script>\u202Eabc\u2066\u200B${'w'.repeat(120)}`;

interface Rule {
  readonly id: string;
  readonly name: string;
  readonly threshold: number;
  readonly mute_until: string | null;
  readonly filter: unknown;
  readonly channels: readonly { readonly id: string }[];
}

async function addRule(rule: object): Promise<string> {
  const { status, body } = await api.call<Rule>('POST', '/v1/alerts', { metric: 'count', threshold: 1, time_window: 86_400_000, ...rule });
  expect([status, body.error]).toEqual([200, null]);
  return body.data.id;
}

async function ruleNamed(name: string): Promise<Rule | undefined> {
  return (await api.call<readonly Rule[]>('GET', '/v1/alerts')).body.data.find((rule) => rule.name === name);
}

beforeAll(async () => {
  service = await startService({
    dataDir,
    environment: { GATELOG_INGEST_INTERVAL_MS: '20', GATELOG_ALERT_INTERVAL: '5s', GATELOG_TARGET_ALLOWLIST: 'localhost' },
  });
  api = apiClient(service.api);
  const hour = 3_600_000;
  for (let sent = 0; sent < 4; sent += 1) await logCall(api, { at: Date.now() - 5 * hour + sent, properties: { Team: 'search' } });
  for (const Team of ['checkout', hostile]) await logCall(api, { at: Date.now() - 5 * hour, properties: { Team } });
  await eventually('the calls', async () => ((await api.query('all')).length === 6 ? true : undefined));
  hostileRule = await addRule({
    name: hostile,
    grouping: [{ property: 'Team' }],
    new_group_delay_ms: 0,
    filter: { request_response_rmt: { properties: { Team: { 'not-equals': 'checkout' } } } },
    channels: [{ type: 'slack', url: `https://localhost:1/${'x'.repeat(200)}` }],
  });
  readKey = (await api.call<{ apiKey: string }>('POST', '/v1/api-keys', { api_key_name: 'reader', key_permissions: 'r' })).body.data.apiKey;
  await eventually('the rule to fire', async () =>
    (await api.call<readonly unknown[]>('GET', `/v1/alerts/${hostileRule}/incidents`)).body.data.length === 2 ? true : undefined,
  );
  browser = await sharedBrowser();
});
afterAll(async () => {
  await endPages();
  await service?.stop();
  removeDataDir(dataDir);
});

const open = (address: string, key = testKey) => openSignedIn(browser, service.api + address, desktop, key);
const dialog = (page: Page) => page.getByRole('dialog');

describe.each(views)('at $width pixels, $colorScheme', (view) => {
  it('the pages are readable for everybody, hold hostile names, and ask the API at most four times', async () => {
    const watched = await openSignedIn(browser, `${service.api}/alerts`, view);
    await watched.page.waitForSelector('table');
    for (const [address, part] of [
      ['/alerts', 'table'],
      ['/?range=24h', 'ul[aria-label^=Incidents]'],
      [`/alerts/${hostileRule}`, 'table'],
      [`/alerts/${hostileRule}?tab=incidents`, 'table'],
      [`/alerts/${hostileRule}?tab=history`, 'table'],
      [`/alerts/${hostileRule}?tab=messages`, 'table'],
      [`/alerts/${hostileRule}?tab=rule`, 'figure'],
      ['/alerts/new?metric=count&threshold=3&by=%5B%22properties.Team%22%5D', 'figure'],
    ] as const) {
      await expectGoodPage(watched, { address: service.api + address, part });
    }
    expect(await watched.page.title()).toBe('Gatelog');
    expect(watched.complaints).toEqual([]);
    await leavePage(watched.page);
  });
});

it('a rule is made beside its preview by the keyboard alone, fires, and its page shows the incident with its requests', async () => {
  const { page, complaints } = await open('/alerts');
  await page.waitForSelector('table');
  await tabTo(page, 'link', 'New alert rule');
  await page.keyboard.press('Enter');
  await page.waitForURL(/alerts\/new/);
  await tabTo(page, 'combobox', 'Search requests');
  await page.keyboard.type('Team:search');
  await tabTo(page, 'button', 'Cost When');
  await page.keyboard.press('Enter');
  await page.keyboard.type('Requests');
  await page.keyboard.press('Enter');
  await tabTo(page, 'textbox', 'Threshold, requests');
  await page.keyboard.type('4');
  const preview = page.getByRole('region', { name: 'Preview' });
  await preview.getByText('It would have fired once in the last 7 days.').waitFor();
  await preview.getByText('peak 4').waitFor();
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.type('5');
  await preview.getByText('It would not have fired in the last 7 days.').waitFor();

  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.type('4');
  await tabTo(page, 'textbox', 'Minutes');
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.type('1440');
  await tabTo(page, 'button', 'Further dimension None');
  await page.keyboard.press('Enter');
  await page.getByRole('searchbox', { name: 'Search: Further dimension' }).waitFor();
  await page.getByRole('option', { name: 'Team property' }).waitFor();
  await page.keyboard.type('Team');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Dimension 1 Team' }).waitFor();
  await tabTo(page, 'textbox', 'Name of the rule');
  await page.keyboard.type('Calls of a team');
  await tabTo(page, 'button', 'Add a channel');
  await page.keyboard.press('Enter');
  await tabTo(page, 'button', 'Choose a kind Kind of channel');
  await page.keyboard.press('Enter');
  await page.getByRole('option', { name: 'Slack' }).waitFor();
  await page.keyboard.type('Slack');
  await page.keyboard.press('Enter');
  await tabTo(page, 'textbox', 'Address of the incoming webhook');
  await page.keyboard.type('https://localhost:1/secret');
  await tabTo(page, 'button', 'More');
  await page.keyboard.press('Enter');
  await tabTo(page, 'textbox', 'New groups wait, minutes');
  await page.keyboard.type('0');
  await tabTo(page, 'button', 'Save rule');
  await page.keyboard.press('Enter');

  await page.getByRole('heading', { name: 'Calls of a team' }).waitFor();
  await page.getByText('Requests at least 4 over 24 h, for each Team, where property "Team" is "search"').waitFor();
  await page.getByRole('rowheader', { name: 'Team: search' }).waitFor();
  await page.getByRole('row', { name: /Team: search firing 4 4/ }).waitFor();
  const ofGroup = await page.getByRole('figure', { name: 'Requests' }).getByRole('link', { name: 'search' }).getAttribute('href');
  expect(new URL(ofGroup ?? '', page.url()).searchParams.get('q')).toBe('Team:search Team:search');
  await tabTo(page, 'tab', 'Groups');
  await page.keyboard.press('ArrowRight');
  await page.getByRole('row', { name: /Team: search firing .* 4 4 threshold/ }).waitFor();
  await tabTo(page, 'link', 'Show requests');
  await page.keyboard.press('Enter');
  await page.getByText('4 requests').waitFor();
  // The filter of the rule, and the condition of the group.
  expect(new URL(page.url()).searchParams.get('q')).toBe('Team:search Team:search');
  expect(complaints).toEqual([]);
  await leavePage(page);
});

it('a rule shows its value, threshold and incidents before anything else', async () => {
  const { page } = await open(`/alerts/${hostileRule}`);
  const chart = page.getByRole('region', { name: 'Value and incidents' });
  await chart.getByText('2 incidents in the last 7 days').waitFor();
  await chart.getByRole('img', { name: /^Requests: / }).waitFor();
  const above = async (): Promise<number> => {
    const [picture, tabs] = await Promise.all([chart.boundingBox(), page.getByRole('tablist').boundingBox()]);
    return (tabs?.y ?? 0) - (picture?.y ?? 0);
  };
  await expect.poll(above).toBeGreaterThan(0);
  // A point of the chart leads to the requests of the window that ended then.
  const box = await chart.getByRole('img', { name: /^Requests: / }).boundingBox();
  await page.mouse.click((box?.x ?? 0) + (box?.width ?? 0) - 30, (box?.y ?? 0) + (box?.height ?? 0) / 2);
  await page.waitForURL(/\/requests\?/);
  const { searchParams } = new URL(page.url());
  expect(Number(searchParams.get('to')) - Number(searchParams.get('from'))).toBe(86_400_000);
  await leavePage(page);
});

it('a rule that nobody hears of gets one of the webhooks by a button, and shows what was sent to it', async () => {
  const name = 'Silent';
  const id = await addRule({ name, threshold: 900 });
  await api.call('POST', '/v1/webhooks', { name: 'ops', destination: 'https://localhost:1/ops' });
  const { page, complaints } = await open(`/alerts/${id}`);
  await page.getByText('Nobody is notified when this rule fires').waitFor();
  await page.getByRole('button', { name: 'Add a channel' }).click();
  await dialog(page)
    .getByRole('button', { name: /Kind of channel$/ })
    .click();
  await page.getByRole('option', { name: 'Webhook' }).click();
  await dialog(page)
    .getByRole('button', { name: /Webhook$/ })
    .last()
    .click();
  await page.getByRole('option', { name: 'ops' }).click();
  await dialog(page).getByRole('button', { name: 'Add the channel' }).click();
  await page.getByText('Nobody is notified').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Send a test' }).click();
  await page.getByRole('tab', { name: 'Messages' }).click();
  await page.getByRole('row', { name: /Test webhook ops/ }).waitFor();
  await page.getByRole('link', { name: 'webhook ops' }).click();
  await dialog(page).getByText('alert.triggered').waitFor();
  await api.call('DELETE', `/v1/alerts/${id}`);
  expect(complaints).toEqual([]);
  await leavePage(page);
});

it('a rule that fires is seen on every page, without a request of its own', async () => {
  const { page, requests } = await open('/settings');
  const mark = page.getByRole('link', { name: /^[1-9] alerts? firing$/ });
  await mark.waitFor();
  expect(requests.filter((request) => new URL(request.url()).pathname.startsWith('/v1/alerts'))).toEqual([]);
  await page.setViewportSize({ width: 390, height: 844 });
  await mark.click();
  await page.waitForURL(/\/alerts$/);
  await leavePage(page);
});

it('the list shows the latest incident of a rule, and its page which message did not arrive and why', async () => {
  const incidents = (await api.call<readonly { started_at: string }[]>('GET', `/v1/alerts/${hostileRule}/incidents`)).body.data;
  const all = (await api.call<readonly { alert_id: string; alert_name: string }[]>('GET', '/v1/incidents?limit=10')).body.data;
  expect(all.filter((incident) => incident.alert_id === hostileRule)).toEqual(
    incidents.map((incident) => ({ ...incident, alert_id: hostileRule, alert_name: hostile })),
  );
  const rules = (await api.call<readonly { id: string; status: { last_incident_at: string } }[]>('GET', '/v1/alerts')).body.data;
  const rule = rules.find(({ id }) => id === hostileRule);
  expect(rule?.status.last_incident_at).toBe(incidents[0]?.started_at);
  const { page } = await open('/alerts');
  const cells = page
    .getByRole('row')
    .filter({ has: page.locator(`a[href="/alerts/${hostileRule}"]`) })
    .getByRole('cell');
  await expect.poll(() => cells.nth(2).innerText()).toMatch(/\d\d:\d\d:\d\d/);
  await page.getByRole('link', { name: 'delivery fails' }).first().click();
  await page.waitForURL(/tab=messages/);
  await page.goto(`${service.api}/alerts/${hostileRule}?tab=messages`);
  await page.getByRole('row', { name: /Alert firing slack .*pending [1-9] .*There is no connection to the receiver/ }).waitFor();
  await leavePage(page);
});

it('a search that cannot be read, or a figure that is none, is no rule; a refused rule says why', async () => {
  const { page } = await open('/alerts/new?metric=count&threshold=3');
  await page.getByLabel('Name of the rule').fill('Wrong');
  const store = page.getByRole('button', { name: 'Save rule' });
  await expect.poll(() => store.isEnabled()).toBe(true);
  await page.getByLabel('Search requests').fill('status:high');
  await page.getByText('status takes a number').waitFor();
  await expect.poll(() => store.isEnabled()).toBe(false);
  await page.getByLabel('Search requests').fill('');
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByLabel('Holds for, minutes').fill('5m');
  await page.getByText('This is not a number').waitFor();
  await expect.poll(() => store.isEnabled()).toBe(false);
  await page.getByLabel('Holds for, minutes').fill('-3');
  await page.getByText('Write at least 0.').waitFor();
  await page.getByLabel('Holds for, minutes').fill('');
  await page.getByRole('button', { name: 'Add a channel' }).click();
  await page.getByRole('button', { name: 'Choose a kind Kind of channel' }).click();
  await page.getByRole('option', { name: 'E-mail' }).click();
  await page.getByLabel('Addresses, with commas between them').fill('ops');
  await page.getByText('Write addresses such as ops@example.com').waitFor();
  await expect.poll(() => store.isEnabled()).toBe(false);
  await page.getByLabel('Addresses, with commas between them').fill('ops@example.com');
  await store.click();
  await page.getByText('set GATELOG_SMTP_URL').waitFor();
  expect(await ruleNamed('Wrong')).toBeUndefined();
  await leavePage(page);
});

it('an edited rule keeps its channels and what was not touched', async () => {
  const name = 'Edited';
  const id = await addRule({ name, threshold: 900, for_ms: 120_000, channels: [{ type: 'slack', url: 'https://localhost:1/kept' }] });
  const before = await ruleNamed(name);
  const { page } = await open(`/alerts/${id}?tab=rule`);
  // What the rule says beyond its sentence is in sight.
  await expect.poll(() => page.getByLabel('Holds for, minutes').inputValue()).toBe('2');
  await page.getByLabel('Threshold, requests').fill('800');
  await page.getByLabel('Search requests').fill('Team:checkout');
  await page.getByRole('button', { name: 'Save changes' }).click();
  await page.getByText('Requests at least 800 over 24 h, where property "Team" is "checkout"').waitFor();
  expect(await ruleNamed(name)).toMatchObject({ threshold: 800, for_ms: 120_000, channels: before?.channels });
  await leavePage(page);
});

it('a rule is muted for a time, unmuted, muted until a time, and deleted', async () => {
  const name = 'Muted';
  const id = await addRule({ name, threshold: 900, channels: [{ type: 'slack', url: 'https://localhost:1/kept' }] });
  const { page, complaints } = await open(`/alerts/${id}`);
  await page.getByRole('button', { name: 'Mute' }).click();
  await page.getByRole('menuitem', { name: 'For a day' }).click();
  await page.getByText('Muted until').waitFor();
  const until = Date.parse((await ruleNamed(name))?.mute_until ?? '');
  expect(Math.abs(until - Date.now() - 86_400_000)).toBeLessThan(600_000);
  await page.getByRole('button', { name: 'Unmute' }).click();
  await page.getByText('Muted until').waitFor({ state: 'detached' });
  expect((await ruleNamed(name))?.mute_until).toBeNull();
  await page.getByRole('button', { name: 'Mute' }).click();
  await page.getByRole('menuitem', { name: 'Until a time…' }).click();
  await dialog(page).getByRole('spinbutton', { name: /year/ }).click();
  await page.keyboard.type('2030');
  await dialog(page).getByRole('button', { name: 'Mute' }).click();
  await page.getByText('Muted until').waitFor();
  expect((await ruleNamed(name))?.mute_until).toMatch(/^2030-/);
  await page.getByRole('button', { name: 'Send a test' }).click();
  await page.getByText('A test message is on its way').waitFor();
  await page.getByRole('button', { name: 'Delete the rule' }).click();
  await dialog(page).getByRole('button', { name: 'Delete the rule' }).click();
  await page.waitForURL(/\/alerts$/);
  await page.waitForSelector('table');
  expect(await ruleNamed(name)).toBeUndefined();
  expect(complaints).toEqual([]);
  await leavePage(page);
});

it('a key that only reads sees rules, groups and the preview, and no button that would fail', async () => {
  const { page, complaints } = await open('/alerts', readKey);
  await page.getByText(/^[12] firing of/).waitFor();
  await expect.poll(() => page.getByRole('link', { name: 'New alert rule' }).count()).toBe(0);
  await page.goto(`${service.api}/alerts/${hostileRule}`);
  await page.getByRole('rowheader', { name: 'Team: search' }).waitFor();
  await page.getByRole('tab', { name: 'Rule' }).click();
  await page.getByText('You may not change rules').waitFor();
  await page.getByText('It would have fired').waitFor();
  for (const name of ['Mute', 'Send a test', 'Delete the rule', 'Save changes']) {
    expect({ name, buttons: await page.getByRole('button', { name }).count() }).toEqual({ name, buttons: 0 });
  }
  expect(complaints).toEqual([]);
  await leavePage(page);
});

it('a search and a metric become a rule', async () => {
  const { page } = await open('/requests?q=Team%3Asearch');
  await page.getByRole('link', { name: 'New alert rule' }).click();
  await page.waitForURL(/alerts\/new/);
  await expect.poll(() => page.getByLabel('Search requests').inputValue()).toBe('Team:search');
  await page.goto(`${service.api}/explore?q=Team%3Asearch&metrics=%5B%22p95_latency%22%5D&by=%5B%22properties.Team%22%5D`);
  await page.getByRole('link', { name: 'New alert rule' }).click();
  await page.waitForURL(/alerts\/new/);
  await page.getByRole('button', { name: 'Latency When' }).waitFor();
  await expect.poll(() => page.getByRole('textbox', { name: 'Percentile' }).inputValue()).toBe('95');
  await expect.poll(() => page.getByRole('button', { name: 'Dimension 1 Team' }).count()).toBe(1);
  await leavePage(page);
});

it('from the most expensive session of today, and what made it dear, to a rule on such sessions', async () => {
  const session = 'dear session';
  for (const [turn, cost] of [0.1, 0.1, 0.3, 0.5].entries()) {
    const line = {
      request_id: `5d1c2b7e-3f0a-4c11-8b52-1a3c2f2f000${turn}`,
      // A preview evaluates every few minutes.
      request_created_at: new Date(Date.now() - 600_000 + 1000 * turn).toISOString(),
      provider: 'OPENAI',
      request_model: 'gpt-4o',
      response_status: 200,
      session_id: session,
      session_name: 'A dear talk',
      session_path: '/agent/read',
      cost,
      prompt_tokens: 1000 * 2 ** turn,
    };
    expect((await api.call('POST', '/v1/import', JSON.stringify(line))).status).toBe(200);
  }
  await api.stored('5d1c2b7e-3f0a-4c11-8b52-1a3c2f2f0003');
  const { page, complaints } = await open('/sessions');
  await page.getByRole('button', { name: 'Time: Last 24 hours' }).click();
  await page.getByRole('button', { name: 'Today' }).click();
  await page.waitForURL(/range=today/);
  // Shortly after midnight the requests are of yesterday.
  await page.getByRole('button', { name: 'Time: Today' }).click();
  await page.getByRole('button', { name: 'Last 24 hours' }).click();
  await page.getByRole('button', { name: 'Cost' }).click();
  await page.waitForURL(/range=24h.*sort=total_cost|sort=total_cost.*range=24h/);
  await page.getByRole('rowheader').first().getByText('A dear talk').click();
  const reasons = page.getByRole('region', { name: 'Where the cost went' });
  await reasons.getByText('The input grew from 1,000 tokens in step 1 to 8,000 in step 4').waitFor();
  await reasons.getByText('One step cost $0.50, 50% of the session.').waitFor();

  // The way back keeps the order.
  await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'Sessions' }).click();
  await page.waitForURL(/sort=total_cost/);
  await page.goBack();
  await page.getByRole('link', { name: 'Alert on such sessions' }).click();
  const preview = page.getByRole('region', { name: 'Preview' });
  await preview.getByText('It would have fired once in the last 7 days.').waitFor();
  const store = page.getByRole('button', { name: 'Save rule' });
  await page.getByRole('button', { name: 'Add a channel' }).click();
  await page.getByText('Give each channel its kind and its address, or remove it.').waitFor();
  await expect.poll(() => store.isEnabled()).toBe(false);
  await page.getByRole('button', { name: 'Remove channel 1' }).click();
  await store.click();
  await page.getByRole('heading', { name: 'Cost at least $1.00 over 1 h, for each Session, where session_name:"A dear talk"' }).waitFor();
  await page.getByRole('figure').getByText('A dear talk').first().waitFor();
  await page.getByRole('rowheader', { name: 'Session: A dear talk' }).waitFor();
  expect(complaints).toEqual([]);
  await leavePage(page);
});
