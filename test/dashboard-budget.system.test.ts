import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { apiClient, type ApiClient } from './support/api.ts';
import { endPages, sharedBrowser } from './support/browser.ts';
import { openSignedIn } from './support/dashboard.ts';
import { eventually } from './support/eventually.ts';
import { logCall } from './support/log-call.ts';
import { makeDataDir, removeDataDir, type Service, startService } from './support/process-tree.ts';
import { leavePage } from './support/watched-page.ts';

const dataDir = makeDataDir();
let service: Service;
let browser: Browser;
let api: ApiClient;

beforeAll(async () => {
  service = await startService({ dataDir, environment: { GATELOG_INGEST_INTERVAL_MS: '20' } });
  api = apiClient(service.api);
  for (const Team of ['search', 'checkout']) await logCall(api, { at: Date.now() - 60_000, properties: { Team } });
  await eventually('the calls', async () => ((await api.query('all')).length === 2 ? true : undefined));
  browser = await sharedBrowser();
});
afterAll(async () => {
  await endPages();
  await service?.stop();
  removeDataDir(dataDir);
});

const open = (address: string) => openSignedIn(browser, service.api + address);
const dialog = (page: Page) => page.getByRole('dialog');
const limitFor = async (page: Page, scope: string): Promise<void> => {
  await dialog(page).getByRole('button', { name: 'Choose … Applies to' }).click();
  await page.getByRole('option', { name: scope, exact: true }).click();
};

it('a budget by the calendar is added, shows how full its day is, gets another amount, and is deleted', async () => {
  const { page, complaints } = await open('/limits');
  await page.getByRole('button', { name: 'Add a limit' }).click();
  await dialog(page).getByLabel('At most').fill('50');
  // Enter in the first field would cap everybody while nobody has said whom the limit is for.
  await dialog(page).getByLabel('At most').press('Enter');
  await dialog(page).getByText('Choose for which requests the limit is.').waitFor();
  await expect.poll(() => dialog(page).getByRole('button', { name: 'Add the limit' }).isEnabled()).toBe(false);
  await limitFor(page, 'all requests together');
  await dialog(page).getByLabel('Time zone').fill('Europe/Atlantis');
  await dialog(page).getByText('Write a time zone, such as Europe/Berlin.').waitFor();
  await dialog(page).getByLabel('Time zone').fill('Europe/Berlin');
  await dialog(page).getByRole('button', { name: 'Add the limit' }).click();
  const row = page.getByRole('row', { name: /\$50\.00 per day \(Europe\/Berlin\) .*all requests together/ });
  await row.waitFor();
  const policy = '5000;calendar=day;tz=Europe/Berlin;u=cents';
  expect((await api.call('GET', '/v1/rate-limits')).body.data).toEqual([{ policy, key_id: null }]);
  await row.getByText('0%').waitFor();
  await row.getByRole('button', { name: 'Edit the limit $50.00 per day (Europe/Berlin), all requests together' }).click();
  await expect.poll(() => dialog(page).getByLabel('At most, US dollars').inputValue()).toBe('50');
  await dialog(page).getByLabel('At most, US dollars').fill('0');
  await expect.poll(() => dialog(page).getByRole('button', { name: 'Save the limit' }).isEnabled()).toBe(false);
  await dialog(page).getByLabel('At most, US dollars').fill('60.25');
  await dialog(page).getByRole('button', { name: 'Save the limit' }).click();
  const changed = page.getByRole('row', { name: /\$60\.25 per day \(Europe\/Berlin\) .*all requests together/ });
  await changed.waitFor();
  const { data } = (await api.call('GET', '/v1/rate-limits')).body;
  expect(data).toEqual([{ policy: '6025;calendar=day;tz=Europe/Berlin;u=cents', key_id: null }]);
  await changed.getByRole('button', { name: 'Delete' }).click();
  await dialog(page).getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('heading', { name: 'No limit yet' }).waitFor();
  expect(complaints).toEqual([]);
  await leavePage(page);
});

it('a budget of each team is a rule that blocks, and what keeps it from being one is said before it is sent', async () => {
  const { page, complaints } = await open('/alerts/new?metric=cost&threshold=20&calendar=day&zone=Europe%2FBerlin&budget=true');
  const blocks = page.getByRole('checkbox', { name: 'Block calls above the threshold: a budget' });
  await expect.poll(() => blocks.isChecked()).toBe(true);
  await expect.poll(() => page.getByLabel('Threshold, US dollars').inputValue()).toBe('20');
  const search = page.getByLabel('Search requests');
  await search.click();
  await page.keyboard.type('Team:sea');
  await page.getByRole('option', { name: 'search value' }).waitFor();
  await page.keyboard.press('Enter');
  await expect.poll(() => search.inputValue()).toBe('Team:search');
  await page.getByText('A rule that blocks calls counts all requests: clear the search').waitFor();
  await expect.poll(() => blocks.getAttribute('aria-describedby')).not.toBe(null);
  await expect.poll(() => page.getByRole('button', { name: 'Save rule' }).isEnabled()).toBe(false);
  await search.fill('');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Further dimension None' }).click();
  await page.getByRole('option', { name: 'Team property' }).click();
  await page.getByRole('button', { name: 'Save rule' }).click();
  await page.getByRole('heading', { name: 'Cost at least $20.00 per day (Europe/Berlin)' }).waitFor();
  await page.goto(`${service.api}/limits`);
  await page.getByRole('row').getByRole('link', { name: 'Cost at least' }).waitFor();
  // What is too long is cut within its cell.
  await expect.poll(() => page.locator('td .clip').getByRole('link', { name: 'Cost at least' }).count()).toBe(1);
  expect(complaints).toEqual([]);
  await page.context().close();
});

it('one value of a property has a limit of its own, and an alert before it is filled in', async () => {
  const { page, complaints } = await open('/limits');
  const add = async (): Promise<void> => {
    await page.getByRole('button', { name: 'Add a limit' }).first().click();
    await dialog(page).getByLabel('At most').fill('5');
    await dialog(page).getByRole('button', { name: 'a calendar day Window' }).click();
    await page.getByRole('option', { name: 'an hour' }).click();
    await limitFor(page, 'one value of a property');
    await dialog(page).getByLabel('Property', { exact: true }).fill('Taem');
    await dialog(page).getByText('No request has this property yet; there is Team.').waitFor();
    await dialog(page).getByRole('button', { name: 'Use Team' }).click();
    await expect.poll(() => dialog(page).getByLabel('Property', { exact: true }).inputValue()).toBe('Team');
    await expect.poll(() => dialog(page).getByRole('button', { name: 'Add the limit' }).isEnabled()).toBe(false);
    await dialog(page).getByLabel('Value', { exact: true }).fill('Serch');
    await dialog(page).getByText('No request of the last 30 days has this value; there is search.').waitFor();
    await dialog(page).getByRole('button', { name: 'Use search' }).click();
  };
  await add();
  await dialog(page).getByRole('button', { name: 'Add the limit' }).click();
  const row = page.getByRole('row', { name: /\$5\.00 per hour .*Team search/ });
  await row.waitFor();
  const ofSearch = { policy: '500;w=3600;u=cents;s=Team', value: 'search', key_id: null };
  expect((await api.call('GET', '/v1/rate-limits')).body.data).toContainEqual(ofSearch);
  const alertIsFilledIn = async (): Promise<void> => {
    await page.waitForURL(/alerts\/new/);
    await expect.poll(() => page.getByLabel('Search requests').inputValue()).toBe('Team:search');
    await expect.poll(() => page.getByLabel('Threshold, US dollars').inputValue()).toBe('4');
    await expect.poll(() => page.getByLabel('Minutes', { exact: true }).inputValue()).toBe('60');
    await expect.poll(() => page.getByRole('checkbox', { name: 'Block calls above the threshold: a budget' }).isChecked()).toBe(false);
  };
  await row.getByRole('link', { name: 'Alert before the limit $5.00 per hour, Team search' }).click();
  await alertIsFilledIn();
  await page.goBack();
  await row.getByRole('button', { name: 'Delete' }).click();
  await dialog(page).getByRole('heading', { name: 'Delete the limit $5.00 per hour, Team search' }).waitFor();
  await dialog(page).getByRole('button', { name: 'Delete' }).click();
  await row.waitFor({ state: 'detached' });

  await add();
  await dialog(page).getByRole('checkbox', { name: 'Tell me when 80% is used' }).check({ force: true });
  await dialog(page).getByRole('button', { name: 'Add the limit' }).click();
  await alertIsFilledIn();
  expect((await api.call('GET', '/v1/rate-limits')).body.data).toContainEqual(ofSearch);
  expect(complaints).toEqual([]);
  await page.context().close();
});

it('the palette opens the dialog of limits for a new budget', async () => {
  const { page, complaints } = await open('/');
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').getByRole('searchbox').fill('New budget');
  await page.getByRole('option', { name: 'New budget' }).waitFor();
  await page.keyboard.press('Enter');
  await dialog(page).getByRole('heading', { name: 'Add a limit' }).waitFor();
  await dialog(page).getByRole('button', { name: 'Cancel' }).click();
  await page.waitForURL((url) => url.pathname === '/limits' && url.search === '');
  expect(complaints).toEqual([]);
  await page.context().close();
});

it('a rule whose search matches no request says so beside its preview, and why', async () => {
  const { page, complaints } = await open('/alerts/new?metric=count&threshold=3&q=team%3Asearch');
  await page.getByText('No request of the last 7 days matches this rule: none of the newest').waitFor();
  await page.getByText('there is one named "Team", and names are case-sensitive.').waitFor();
  await page.getByText('Requests write "team" in another case.').waitFor();
  await page.getByRole('button', { name: 'Use Team' }).click();
  await expect.poll(() => page.getByLabel('Search requests').inputValue()).toBe('Team:search');
  await page.getByText('No request of the last 7 days').waitFor({ state: 'detached' });
  await page.getByText('It would not have fired in the last 7 days.').waitFor();
  expect(complaints).toEqual([]);
  await page.context().close();
});

it('a preview that is out of date is given up', async () => {
  const { page } = await open('/alerts/new?metric=count');
  await page.route('**/v1/alerts/preview', async (route) => {
    // The answer to the first figure never comes.
    if (!route.request().postData()?.includes('"threshold":1,')) await route.continue();
  });
  const asked = page.waitForRequest(
    (request) => request.url().endsWith('/preview') && request.postData()?.includes('"threshold":1,') === true,
  );
  await page.getByLabel('Threshold, requests').fill('1');
  const outdated = await asked;
  await page.getByLabel('Threshold, requests').fill('900');
  await page.getByText('It would not have fired').waitFor();
  await expect.poll(() => outdated.failure()?.errorText).toBe('net::ERR_ABORTED');
  await page.context().close();
});

it('the group of a rule without groups is what its search says', async () => {
  const filter = { request_response_rmt: { properties: { Team: { equals: 'search' } } } };
  const rule = { name: 'Calls of search', metric: 'count', threshold: 1, time_window: 3_600_000, filter };
  const { id } = (await api.call<{ readonly id: string }>('POST', '/v1/alerts', rule)).body.data;
  await eventually('the state', async () =>
    (await api.call<readonly unknown[]>('GET', `/v1/alerts/${id}/states`)).body.data.length === 1 ? true : undefined,
  );
  const { page, complaints } = await open(`/alerts/${id}`);
  await page.getByRole('rowheader', { name: 'property "Team" is "search"' }).waitFor();
  await page.getByRole('figure', { name: 'Requests' }).getByText('property "Team" is "search"').waitFor();
  expect(complaints).toEqual([]);
  await page.context().close();
});
