import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clientId, clientSecret, type LocalIssuer, openLocalIssuer } from '../src/auth/testing/local-issuer.ts';
import { apiClient } from './support/api.ts';
import { endPages, sharedBrowser } from './support/browser.ts';
import { gatelog } from './support/command.ts';
import { desktop } from './support/dashboard.ts';
import { makeDataDir, removeDataDir, type Service, startService } from './support/process-tree.ts';
import { stablePort } from './support/stable-port.ts';
import { accessibilityFaults, leavePage, openWatched, type WatchedPage } from './support/watched-page.ts';

const dataDir = makeDataDir();
let issuer: LocalIssuer;
let service: Service;
let browser: Browser;

beforeAll(async () => {
  const port = await stablePort();
  // At the one address and below a path, where every address has one more part.
  const address = `http://127.0.0.1:${port}/tools/gatelog`;
  issuer = await openLocalIssuer({ callback: `${address}/v1/sign-in/callback`, afterSignOut: `${address}/sign-in` });
  issuer.accounts.set('lea', { name: 'Lea', email: 'lea@example.com', email_verified: true, groups: ['leads'] });
  issuer.accounts.set('bob', { name: 'Bob', email: 'bob@other.example', email_verified: true });
  service = await startService({
    dataDir,
    environment: {
      GATELOG_GATEWAY_PORT: '',
      GATELOG_API_PORT: '',
      GATELOG_PORT: String(port),
      GATELOG_PUBLIC_URL: `http://127.0.0.1:${port}`,
      GATELOG_BASE_PATH: '/tools/gatelog',
      GATELOG_INGEST_INTERVAL_MS: '20',
      GATELOG_OIDC_ISSUER: issuer.address,
      GATELOG_OIDC_CLIENT_ID: clientId,
      GATELOG_OIDC_CLIENT_SECRET: clientSecret,
      GATELOG_OIDC_ADMIT: 'leads',
      GATELOG_OIDC_ROLES: 'leads=default:admin,leads=research:r',
    },
  });
  await gatelog(dataDir, 'orgs', 'create', 'research');
  browser = await sharedBrowser();
});
afterAll(async () => {
  await endPages();
  await service?.stop();
  await issuer?.close();
  removeDataDir(dataDir);
});

/** Opens the page of sign-in and goes through the issuer, where an account is signed in. */
async function signIn(account: string, address = `${service.api}/sign-in`): Promise<WatchedPage> {
  issuer.setVisitor(account);
  const watched = await openWatched(browser, address, desktop);
  await watched.page.getByRole('link', { name: `Sign in with ${new URL(issuer.address).host}` }).click();
  await heading(watched.page, 'Overview').waitFor();
  return watched;
}

function heading(page: Page, name: string) {
  return page.getByRole('heading', { level: 1, name, exact: true });
}

/** Without what the way to the issuer is: another origin. */
async function faultsOf(watched: WatchedPage): Promise<readonly unknown[]> {
  return (await accessibilityFaults(watched)).filter((fault) => !JSON.stringify(fault).includes('foreign request'));
}

describe('a person with an account of the issuer', () => {
  it('signs in and out; pages say who it is, and who signed in is in the audit log', async () => {
    const lea = await signIn('lea');
    await lea.page.getByText('Lea · admin').waitFor();
    await lea.page.goto(`${service.api}/people`);
    await lea.page.getByRole('region', { name: 'Members' }).getByText('lea@example.com').waitFor();
    expect(await faultsOf(lea)).toEqual([]);
    await lea.page.goto(`${service.api}/audit`);
    const log = lea.page.getByRole('region', { name: 'Audit log' });
    await log.getByRole('link', { name: 'Sign in', exact: true }).first().click();
    await lea.page.waitForURL(`${service.api}/audit?action=signIn`);
    await log.getByText('Lea').first().waitFor();
    const file = await lea.page.getByRole('link', { name: 'Download as CSV' }).getAttribute('href');
    const { status, lines } = await lea.page.evaluate<{ readonly status: number; readonly lines: readonly string[] }>(
      `fetch(${JSON.stringify(file)}).then(async (answer) => ({ status: answer.status, lines: (await answer.text()).trim().split('\\r\\n') }))`,
    );
    expect([status, lines[0]]).toEqual([200, 'id,at,who,key,action,target,filter,address']);
    expect(lines.slice(1).map((line) => line.split(',')[4])).toEqual(lines.slice(1).map(() => 'signIn'));
    expect(lines.length).toBeGreaterThan(1);
    expect(await faultsOf(lea)).toEqual([]);
    await lea.page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await lea.page.getByRole('button', { name: 'Yes, sign me out' }).click();
    await lea.page.getByLabel('Key').waitFor();
    expect((await lea.page.context().cookies()).filter(({ name }) => name.startsWith('gatelog_session'))).toEqual([]);
    await leavePage(lea.page);
  });

  it('goes on in another organisation of theirs, in every tab of the browser', async () => {
    const { page } = await signIn('lea');
    await page.getByText('Lea · admin').waitFor();
    const tab = await page.context().newPage();
    await tab.goto(`${service.api}/users`);
    await tab.getByText('Lea · admin').waitFor();
    await page.getByRole('button', { name: /Organisation/ }).click();
    await page.getByRole('option', { name: 'research' }).click();
    for (const one of [page, tab]) await expect.poll(() => one.getByText('Lea · r', { exact: true }).count()).toBe(1);
    await leavePage(page);
  });

  it('comes by an invitation, makes a key for this machine in two clicks, and loses both when removed', async () => {
    const { page } = await signIn('lea');
    await page.goto(`${service.api}/people`);
    await page.getByRole('button', { name: 'Invite a person' }).click();
    await page.getByLabel('E-mail address').fill('Bob at other.example');
    await page.getByText('Write one address such as ada@example.com').waitFor();
    await page.getByLabel('E-mail address').fill('bob@other.example');
    await page.getByRole('button', { name: 'Make a link' }).click();
    const link = await page.getByRole('dialog').locator('code').textContent();
    const bob = await signIn('bob', link ?? '');
    await bob.page.getByText('Bob · rw').waitFor();
    await bob.page.goto(`${service.api}/keys`);
    await bob.page.getByRole('button', { name: 'New key for this machine' }).click();
    await bob.page.getByRole('button', { name: 'Create key' }).click();
    const key = (await bob.page.getByRole('dialog').locator('code').textContent()) ?? '';
    const api = apiClient(service.api, key);
    expect((await api.call('POST', '/v1/request/query-clickhouse', { filter: 'all' })).status).toBe(200);
    await page.goto(`${service.api}/people`);
    await page.getByRole('button', { name: 'Remove Bob' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove Bob' }).click();
    await expect.poll(() => page.getByRole('button', { name: 'Remove Bob' }).count()).toBe(0);
    await expect.poll(async () => (await api.call('POST', '/v1/request/query-clickhouse', { filter: 'all' })).status).toBe(401);
    await bob.page.goto(`${service.api}/requests`);
    await bob.page.getByLabel('Key').waitFor();
    await leavePage(bob.page);
    await leavePage(page);
  });

  it('who may not come in is told why, on the page', async () => {
    issuer.accounts.set('eve', { name: 'Eve' });
    issuer.setVisitor('eve');
    const { page } = await openWatched(browser, `${service.api}/sign-in`, desktop);
    await page.getByRole('link', { name: `Sign in with ${new URL(issuer.address).host}` }).click();
    const told = page.getByRole('alert').getByText('This account may not sign in here');
    await expect.poll(() => told.count()).toBe(1);
    await leavePage(page);
  });
});
