import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openSignedIn } from './support/dashboard.ts';
import { hourMs, openRequestsScene, type RequestsScene, seeded, seedId } from './support/requests-list.ts';
import { leavePage } from './support/watched-page.ts';

const session = { session_id: 'c7a2e0d4-0c7f-4f0e-9d51-6a1c2f3f0001', session_name: 'Nightly report' };
const stepsOfSession = 40;

let scene: RequestsScene;
beforeAll(async () => {
  scene = await openRequestsScene();
  await scene.importRequests(
    Array.from({ length: stepsOfSession }, (_none, step) => ({
      request_id: `8d1c2b7e-3f0a-4c11-8b52-1a3c2f1f${String(step).padStart(4, '0')}`,
      request_created_at: new Date(Date.now() - hourMs + step * 1000).toISOString(),
      request_model: 'gpt-4o',
      response_status: 200,
      request_user_id: 'dora',
      properties: { Team: 'reports' },
      ...session,
    })),
  );
});
afterAll(async () => scene?.end());

const panel = (page: Page) => page.getByRole('complementary', { name: 'Request' });
const about = (page: Page) => page.getByRole('list', { name: 'About the session' });
const searchOf = (page: Page): string | null => new URL(page.url()).searchParams.get('q');

it('Escape closes a request that j has opened before anything had the focus', async () => {
  const { page, complaints } = await scene.open({ q: `${seeded} -user:dora` });
  await page.keyboard.press('j');
  await page.waitForURL((url) => url.searchParams.get('request') === seedId(7));
  await panel(page).getByRole('tab', { selected: true }).waitFor();
  await page.keyboard.press('Escape');
  await page.waitForURL((url) => !url.searchParams.has('request'));
  await page.getByRole('grid', { name: 'Requests' }).and(page.locator(':focus')).waitFor();
  expect(complaints).toEqual([]);
  await leavePage(page);
});

it('a request has an address of its own below the list, as a session has', async () => {
  const { page, complaints } = await openSignedIn(scene.browser, `${scene.service.api}/requests/${seedId(5)}`);
  await page.waitForURL((url) => url.pathname === '/requests' && url.searchParams.get('request') === seedId(5));
  await panel(page).getByRole('tab', { selected: true }).waitFor();
  expect(complaints).toEqual([]);
  await leavePage(page);
});

it('the user and the properties of a request lead to the user and to the requests that have them', async () => {
  const { page, complaints } = await scene.open({ q: 'user:ben Team:checkout', request: seedId(5) });
  await panel(page).getByRole('link', { name: 'checkout' }).click();
  await expect.poll(() => searchOf(page)).toBe('Team:checkout');
  await page.goBack();
  await panel(page).getByRole('link', { name: 'ben' }).click();
  await page.waitForURL(/\/users\/ben/);
  await page.getByRole('heading', { name: 'ben' }).waitFor();
  expect(complaints).toEqual([]);
  await leavePage(page);
});

it('the head of a session shows its identifier beside its name, and leads to its user and the requests of its properties', async () => {
  const { page, complaints } = await openSignedIn(scene.browser, `${scene.service.api}/sessions/${session.session_id}`);
  await page.getByRole('button', { name: 'Copy the identifier of the session' }).waitFor();
  await page.getByText(session.session_id, { exact: true }).waitFor();
  await about(page).getByRole('link', { name: 'Team: reports' }).click();
  await expect.poll(() => searchOf(page)).toBe('Team:reports');
  await page.goBack();
  await about(page).getByRole('link', { name: 'dora' }).click();
  await page.waitForURL(/\/users\/dora/);
  expect(complaints).toEqual([]);
  await leavePage(page);
});

it('on a phone another view of a session leaves the page where it is scrolled to', async () => {
  const { page } = await openSignedIn(scene.browser, `${scene.service.api}/sessions/${session.session_id}`, {
    width: 390,
    colorScheme: 'light',
  });
  const timeline = page.getByRole('tab', { name: 'Timeline' });
  await timeline.waitFor();
  await page.evaluate('window.scrollTo(0, 120)');
  await expect.poll(() => page.evaluate<number>('window.scrollY')).toBe(120);
  await timeline.click();
  await page.waitForURL(/tab=timeline/);
  await page.getByRole('tab', { name: 'Timeline', selected: true }).waitFor();
  expect(await page.evaluate<number>('window.scrollY')).toBe(120);
  await leavePage(page);
});

it('on a phone a request says whose it is and names its properties before the conversation', async () => {
  const { page } = await openSignedIn(scene.browser, scene.addressOf({ q: 'user:ben', request: seedId(5) }), {
    width: 390,
    colorScheme: 'light',
  });
  await panel(page).getByRole('link', { name: 'ben' }).waitFor();
  await panel(page).getByRole('link', { name: 'checkout' }).waitFor();
  const tabs = panel(page).getByRole('tablist');
  expect(await tabs.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
  await leavePage(page);
});

it('the title of a column that sorts ends where its figures do', async () => {
  const { page } = await openSignedIn(scene.browser, `${scene.service.api}/users?range=7d`);
  await page.locator('tbody td.number').first().waitFor();
  const ends = await page.evaluate<readonly [number, number]>(`(() => {
    const endOf = (node) => { const range = document.createRange(); range.selectNodeContents(node); return Math.round(range.getBoundingClientRect().right); };
    const requests = [...document.querySelectorAll('thead th')].findIndex((head) => head.textContent.includes('Requests'));
    const title = document.querySelectorAll('thead th')[requests].querySelector('button').firstChild;
    return [endOf(title), endOf(document.querySelector('tbody tr').children[requests].querySelector('a'))];
  })()`);
  expect(Math.abs(ends[0] - ends[1])).toBeLessThanOrEqual(1);
  await leavePage(page);
});

it('a long list of users scrolls alone, not the page around it', async () => {
  await scene.importRequests(
    Array.from({ length: 60 }, (_none, user) => ({
      request_id: `8e1c2b7e-3f0a-4c11-8b52-1a3c2f1f${String(user).padStart(4, '0')}`,
      request_created_at: new Date(Date.now() - hourMs).toISOString(),
      request_user_id: `member-${user}`,
    })),
  );
  const { page } = await openSignedIn(scene.browser, `${scene.service.api}/users?range=30d`);
  await expect.poll(() => page.locator('tbody tr').count()).toBeGreaterThan(60);
  expect(await page.evaluate<number>('document.documentElement.scrollHeight - window.innerHeight')).toBe(0);
  await leavePage(page);
});
