import { setTimeout as wait } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { expect } from 'vitest';
import { testKey } from './process-tree.ts';
import { accessibilityFaults, type Cookie, openWatched, overflow, type View, type WatchedPage } from './watched-page.ts';

type Role = Parameters<Page['getByRole']>[0];

export const desktop: View = { width: 1280, colorScheme: 'light' };

/** Types a key into the page of sign-in. */
export async function signIn(page: Page, key = testKey): Promise<void> {
  await page.waitForSelector('input[name=key]');
  await page.fill('input[name=key]', key);
  await page.keyboard.press('Enter');
}

/** Opens an address of the dashboard as somebody who has signed in already, which spares a page. The caller closes the page's context. */
export async function openSignedIn(browser: Browser, address: string, view: View = desktop, key = testKey): Promise<WatchedPage> {
  return openWatched(browser, address, view, [await sessionCookie(new URL(address).origin, key)]);
}

/** What the service gives a browser that has signed in with a key. */
async function sessionCookie(origin: string, apiKey: string): Promise<Cookie> {
  const response = await fetch(`${origin}/v1/session-cookie`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ apiKey }),
  });
  const [, name, value] = /^([^=]+)=([^;]*)/.exec(response.headers.get('set-cookie') ?? '') ?? [];
  if (name === undefined || value === undefined) throw new Error(`The service answered ${response.status}: ${await response.text()}`);
  return { name, value, url: origin, httpOnly: true };
}

export interface OpenedPage {
  readonly address: string;
  /** Selector of a part that is there once the page is whole. */
  readonly part: string;
}

/** A page is whole, readable for everybody, no wider than its window, and asks the API at most four times when it opens. */
export async function expectGoodPage(watched: WatchedPage, { address, part }: OpenedPage): Promise<void> {
  const { page, requests } = watched;
  let before = requests.length;
  // What the page before still asked for is not what this one asks.
  page.once('framenavigated', () => {
    before = requests.length;
  });
  await page.goto(address);
  await page.locator(part).first().waitFor();
  await untilQuiet(requests);
  // What follows may take until the page asks for news.
  const asked = requests.slice(before).filter((request) => new URL(request.url()).pathname.startsWith('/v1/'));
  expect({ address, faults: await accessibilityFaults(watched) }).toEqual({ address, faults: [] });
  const paths = asked.map((request) => new URL(request.url()).pathname);
  expect({ address, beyondFour: paths.length > 4 ? paths : [] }).toEqual({ address, beyondFour: [] });
  const pixels = await overflow(watched);
  expect({ address, pixelsBeyond: Math.max(0, pixels) }).toEqual({ address, pixelsBeyond: 0 });
}

const quietMs = 300;

/** Waits until a page has asked for nothing for a while. */
async function untilQuiet(requests: readonly unknown[]): Promise<void> {
  let known: number;
  do {
    known = requests.length;
    await wait(quietMs);
  } while (requests.length > known);
}

/** Presses Tab until an element of a role and a name has the focus. @throws when the focus has been everywhere. */
export async function tabTo(page: Page, role: Role, name: string): Promise<void> {
  const reached = page.getByRole(role, { name, exact: true }).and(page.locator(':focus'));
  for (let pressed = 0; pressed < 200; pressed += 1) {
    if ((await reached.count()) > 0) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not lead to the ${role} "${name}".`);
}
