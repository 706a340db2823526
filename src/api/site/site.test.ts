import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { Hono } from 'hono';
import { getCookie } from 'hono/cookie';
import { afterAll, describe, expect, it } from 'vitest';
import { GatelogError } from '../../model/errors.ts';
import { type FindSiteFile, siteFilesIn } from './files.ts';
import { addSite } from './site.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'gatelog-site-'));
afterAll(() => rmSync(folder, { recursive: true }));

const packed = gzipSync('<h1>Reference</h1>');
const page = { file: 'reference.html.gz', type: 'text/html; charset=utf-8', hash: 'abc', bytes: packed.length, immutable: false };
writeFileSync(path.join(folder, page.file), packed);
writeFileSync(path.join(folder, 'files.json'), JSON.stringify({ '/docs': page, '/docs/assets/a-abc.js': { ...page, immutable: true } }));

const app = new Hono();
addSite(app, { addresses: { gateway: undefined, api: undefined }, basePath: '', file: siteFilesIn(folder) }, () => false);
app.onError((error) => Response.json({ error: error.message }, { status: error instanceof GatelogError ? error.status : 500 }));

async function get(served: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Response> {
  return app.request(served, { method, headers });
}

it('a file goes out as it lies, gzipped, to who takes that, and as text to others', async () => {
  const zipped = await get('/docs', { 'accept-encoding': 'br, gzip;q=0.5' });
  expect([zipped.headers.get('content-encoding'), zipped.headers.get('content-length')]).toEqual(['gzip', String(packed.length)]);
  expect(Buffer.from(await zipped.arrayBuffer())).toEqual(packed);
  for (const accepted of [{}, { 'accept-encoding': 'gzip;q=0, br' }]) {
    const plain = await get('/docs', accepted);
    expect([plain.headers.get('content-encoding'), await plain.text()]).toEqual([null, '<h1>Reference</h1>']);
  }
});

it('pages are asked for again and answered 304, their parts are kept for ever', async () => {
  const first = await get('/docs');
  expect(first.headers.get('cache-control')).toBe('no-cache');
  const again = await get('/docs', { 'if-none-match': `"other", ${first.headers.get('etag') ?? ''}` });
  expect([again.status, await again.text()]).toEqual([304, '']);
  expect((await get('/docs', { 'if-none-match': '"other"' })).status).toBe(200);
  expect((await get('/docs/assets/a-abc.js')).headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
});

it('HEAD has the headers alone', async () => {
  const response = await get('/docs', { 'accept-encoding': 'gzip' }, 'HEAD');
  expect([response.status, response.headers.get('content-length'), await response.text()]).toEqual([200, String(packed.length), '']);
});

it('nothing of a page comes from elsewhere, runs inline or can be framed', async () => {
  const { headers } = await get('/docs');
  const policy = headers.get('content-security-policy') ?? '';
  expect(policy).toMatch(/^default-src 'none';/);
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toContain('unsafe');
  expect([headers.get('x-content-type-options'), headers.get('referrer-policy')]).toEqual(['nosniff', 'no-referrer']);
});

it.each(['/docs/nothing', '/docs/..%2ffiles.json', '/docs/assets/constructor'])(
  '%s is 404 and says where the pages are',
  async (served) => {
    const response = await get(served);
    expect(response.status).toBe(404);
    expect(await response.text()).toContain('/docs/guides lists all pages');
  },
);

describe('below a base path', () => {
  const below = mkdtempSync(path.join(tmpdir(), 'gatelog-site-'));
  afterAll(() => rmSync(below, { recursive: true }));
  const html = '<!doctype html><html lang="en"><link rel="icon" href="/assets/i.svg"><script src="/assets/m.js"></script><p>see /docs</p>';
  const parts = { 'requests-page': ['/assets/r.js'] };
  const dashboard = { file: 'dashboard.html.gz', type: page.type, hash: 'def', bytes: 1, immutable: false, parts };
  writeFileSync(path.join(below, dashboard.file), gzipSync(html));
  writeFileSync(path.join(below, 'files.json'), JSON.stringify({ '/': dashboard }));
  const site = new Hono();
  addSite(site, { addresses: { gateway: undefined, api: undefined }, basePath: '/llm', file: siteFilesIn(below, '/llm') }, () => true);

  it('the dashboard asks for its scripts there and knows the path; its text stays', async () => {
    const moved =
      '<!doctype html><html data-base-path="/llm" lang="en"><link rel="icon" href="/llm/assets/i.svg"><script src="/llm/assets/m.js"></script><p>see /docs</p>';
    for (const coding of ['gzip', 'identity']) {
      const response = await site.request('/requests', { headers: { 'accept-encoding': coding } });
      const bytes = Buffer.from(await response.arrayBuffer());
      expect((coding === 'gzip' ? gunzipSync(bytes) : bytes).toString()).toBe(moved);
      expect(response.headers.get('etag')).not.toContain('def');
    }
  });

  it('so does what it asks for early', async () => {
    const id = '8f6b0f6e-5d0e-4c53-9a52-0a3c2f1f0001';
    const { headers } = await site.request(`/requests?request=${id}`);
    expect(headers.get('link')).toBe(`</llm/v1/request/${id}>; rel=preload; as=fetch; crossorigin, </llm/assets/r.js>; rel=modulepreload`);
  });
});

describe('the dashboard', () => {
  const both = new Hono();
  const dashboard = { file: 'dashboard.html.gz', type: page.type, hash: 'def', bytes: packed.length, immutable: false };
  writeFileSync(path.join(folder, dashboard.file), gzipSync('<h1>Dashboard</h1>'));
  const file: FindSiteFile = (served) => (served === '/' ? { ...dashboard, file: path.join(folder, dashboard.file) } : undefined);
  addSite(
    both,
    { addresses: { gateway: undefined, api: undefined }, basePath: '', file },
    (context) => getCookie(context, 'gatelog_session') === 'open',
  );
  const accept = 'text/html,application/xhtml+xml,*/*;q=0.8';

  it.each([
    ['/requests?request=8F6B0F6E-5D0E-4C53-9A52-0A3C2F1F0001&tab=cost', '/v1/request/8F6B0F6E-5D0E-4C53-9A52-0A3C2F1F0001'],
    ['/requests?request=8F6B0F6E-5D0E-4C53-9A52-0A3C2F1F0001&tab=raw', '/v1/request/8F6B0F6E-5D0E-4C53-9A52-0A3C2F1F0001/beginning'],
    ['/sessions/a%20very%2Flong%20%3Csession%3E?tab=timeline', '/v1/session/a%20very%2Flong%20%3Csession%3E?limit=200'],
    ['/requests', undefined],
    ['/requests?request=%0d%0aSet-Cookie:a', undefined],
    ['/sessions', undefined],
    ['/sessions/%', undefined],
  ])('at %s tells the browser of who is signed in which call the page makes first', async (served, call) => {
    const signedIn = await both.request(served, { headers: { accept, cookie: 'gatelog_session=open' } });
    expect(signedIn.headers.get('link')).toBe(call === undefined ? null : `<${call}>; rel=preload; as=fetch; crossorigin`);
    for (const cookie of ['', 'gatelog_session=ended']) {
      const { headers } = await both.request(served, { headers: { accept, cookie } });
      expect([headers.get('link'), headers.get('cache-control')]).toEqual([null, 'no-cache']);
    }
    // A page that the browser kept would still name the call when nobody is signed in.
    expect(signedIn.headers.get('cache-control')).toBe(call === undefined ? 'no-cache' : 'no-store');
    expect(signedIn.headers.has('etag')).toBe(call === undefined);
  });

  it('tells the browser of who is signed in which scripts the page loads, each once', async () => {
    const parts = {
      expected: ['/assets/a.js', '/assets/b.js'],
      'requests-page': ['/assets/c.js', '/assets/b.js'],
      editor: ['/assets/e.js'],
    };
    const site = new Hono();
    const found: FindSiteFile = (served) => {
      const one = file(served);
      return one === undefined ? undefined : { ...one, parts };
    };
    addSite(
      site,
      { addresses: { gateway: undefined, api: undefined }, basePath: '', file: found },
      (context) => context.req.header('cookie') !== undefined,
    );
    const linkAt = async (served: string, cookie?: string): Promise<string | null> =>
      (await site.request(served, { headers: { accept, ...(cookie === undefined ? {} : { cookie }) } })).headers.get('link');
    const list = '</assets/a.js>; rel=modulepreload, </assets/b.js>; rel=modulepreload, </assets/c.js>; rel=modulepreload';
    expect(await linkAt('/requests', 'open')).toBe(list);
    expect(await linkAt('/requests?request=x&tab=raw', 'open')).toBe(`${list}, </assets/e.js>; rel=modulepreload`);
    expect(await linkAt('/users', 'open')).toBeNull();
    expect(await linkAt('/requests')).toBeNull();
  });

  it('is the answer 404 to a browser that asks for a page that is nowhere, and says so, whatever the browser has of it', async () => {
    for (const headers of [{ accept }, { accept, 'if-none-match': 'W/"def"' }]) {
      const response = await both.request('/docs/nothing', { headers });
      expect([response.status, await response.text()]).toEqual([404, '<h1>Dashboard</h1>']);
      expect(response.headers.get('vary')).toContain('Accept');
    }
  });
});

it('/docs/ leads to /docs, also under the path of a proxy', async () => {
  const response = await get('/docs/');
  expect([response.status, response.headers.get('location')]).toEqual([308, '../docs']);
});
