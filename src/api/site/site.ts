import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { Context, Hono } from 'hono';
import { GatelogError } from '../../model/errors.ts';
import { firstCallOf } from '../../model/first-call.ts';
import { frontPageResponse, type ListenerAddresses, pageHeaders } from '../../platform/http/front-page.ts';
import { partsOf } from './page-parts.ts';
import { apiFrontPage } from './front-page.ts';
import type { FindSiteFile, SiteFile } from './files.ts';

export interface SitePorts {
  readonly addresses: ListenerAddresses;
  /** Before all paths as browsers know them; empty or `/…`. */
  readonly basePath: string;
  readonly file: FindSiteFile;
}

/**
 * Scripts and styles come from files alone, and data from this origin. Images may be in the stylesheet of the renderer. A request to any
 * other place, also one that a description asked for, is not made.
 */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/**
 * As {@link policy}, with the one style that the library of controls puts into a page: that a touch on a button does not zoom. Pictures of
 * conversations are data, and so are recordings.
 */
const dashboardPolicy = `${policy}; media-src data:`.replace(
  "style-src 'self'",
  "style-src 'self' 'sha256-38RhXrc7EdReTKsOm23ZPOCUgniTUUcjky8QOOrQx6o='",
);

/** Pages of the dashboard. What lies below them, such as `/sessions/{id}`, is the dashboard too, which finds out itself what it shows. */
const dashboardPages = [
  '/sign-in',
  '/requests',
  '/sessions',
  '/explore',
  '/boards',
  '/properties',
  '/users',
  '/alerts',
  '/webhooks',
  '/keys',
  '/provider-keys',
  '/people',
  '/audit',
  '/prices',
  '/limits',
  '/data',
  '/health',
  '/start',
  '/settings',
] as const;

/**
 * Pages for people who open the addresses; not in the OpenAPI document, as no program needs them. They need no key and hold no data.
 * @param isSignedIn whether the browser's cookie stands for a key.
 */
export function addSite(app: Hono, { addresses, basePath, file }: SitePorts, isSignedIn: (context: Context) => boolean): void {
  const front = frontPageResponse(apiFrontPage(addresses));
  const sendFront = (context: Context): Response => {
    const { body, headers } = front(context.req.header('accept'));
    return context.body(body, 200, headers);
  };
  const sendDashboard = (context: Context): Response => {
    const dashboard = file('/');
    if (dashboard === undefined) return sendFront(context);
    const url = isSignedIn(context) ? new URL(context.req.url) : undefined;
    const firstCall = url === undefined ? undefined : firstCallOf(url);
    const response = sendFile(context, dashboard, { contentPolicy: dashboardPolicy, isOfMoment: firstCall !== undefined });
    // The browser makes the call while it loads the page. A page that it kept would make it also when nobody is signed in any more.
    if (firstCall !== undefined) response.headers.append('Link', `<${basePath}${firstCall}>; rel=preload; as=fetch; crossorigin`);
    // It loads the page's scripts beside the first one, which would ask for them after it has run.
    const scripts = url === undefined ? [] : partsOf(url).flatMap((part) => dashboard.parts?.[part] ?? []);
    if (scripts.length > 0) {
      response.headers.append('Link', [...new Set(scripts)].map((script) => `<${script}>; rel=modulepreload`).join(', '));
    }
    return response;
  };
  app.get('/', (context) => {
    if (!takesHtml(context) || file('/') === undefined) return sendFront(context);
    const response = sendDashboard(context);
    response.headers.append('Vary', 'Accept');
    return response;
  });
  app.get('/about', sendFront);
  for (const page of dashboardPages) {
    app.get(page, sendDashboard);
    app.get(`${page}/*`, sendDashboard);
  }
  app.get('/favicon.ico', (context) => context.body(null, 204));
  // The links of the page are relative to its address without a slash.
  app.get('/docs/', (context) => context.body(null, 308, { Location: '../docs' }));
  const sendPath = (context: Context): Response => {
    const found = file(context.req.path);
    if (found === undefined) {
      const page = missingPage(context, file);
      if (page !== undefined) return page;
      throw new GatelogError(
        'not_found',
        `There is no page ${context.req.path}; /docs is the reference, and /docs/guides lists all pages.`,
      );
    }
    return sendFile(context, found);
  };
  app.get('/docs', sendPath);
  app.get('/docs/*', sendPath);
  app.get('/assets/*', sendPath);
}

/** The dashboard as the answer 404 to a reader's browser, for it to say so and lead back; undefined: who asks takes no page, or there is none. */
export function missingPage(context: Context, file: FindSiteFile): Response | undefined {
  const dashboard = file('/');
  if (dashboard === undefined || context.req.method !== 'GET' || !takesHtml(context)) return undefined;
  const response = sendFile(context, dashboard, { contentPolicy: dashboardPolicy, status: 404 });
  response.headers.append('Vary', 'Accept');
  return response;
}

function takesHtml(context: Context): boolean {
  return context.req.header('accept')?.toLowerCase().includes('text/html') === true;
}

interface Sent {
  readonly contentPolicy?: string;
  readonly status?: 200 | 404;
  /** Not to be kept by the browser. */
  readonly isOfMoment?: boolean;
}

/** Files are read from the disk for each response, and nothing of them is kept. */
function sendFile(context: Context, found: SiteFile, { contentPolicy = policy, status = 200, isOfMoment = false }: Sent = {}): Response {
  // Weak, because the gzipped and the plain form have the same one.
  const tag = `W/"${found.hash}"`;
  const takesGzip = acceptsGzip(context.req.header('accept-encoding'));
  const headers = {
    ...pageHeaders(contentPolicy),
    'Content-Type': found.type,
    ...(isOfMoment ? { 'Cache-Control': 'no-store' } : { 'Cache-Control': keptFor(found), ETag: tag }),
    Vary: 'Accept-Encoding',
    ...(takesGzip ? { 'Content-Encoding': 'gzip' } : {}),
  };
  if (status === 200 && !isOfMoment && hasTag(context.req.header('if-none-match'), tag)) return context.body(null, 304, headers);
  const length = takesGzip ? { 'Content-Length': String(found.bytes) } : {};
  if (context.req.method === 'HEAD') return context.body(null, 200, { ...headers, ...length });
  const packed = found.packed === undefined ? createReadStream(found.file) : Readable.from([found.packed]);
  const bytes = takesGzip ? packed : unpacked(packed);
  return context.body(Readable.toWeb(bytes) as ReadableStream, status, { ...headers, ...length });
}

function keptFor({ immutable }: SiteFile): string {
  return immutable ? 'public, max-age=31536000, immutable' : 'no-cache';
}

function unpacked(packed: Readable): Readable {
  const plain = createGunzip();
  packed.once('error', (error) => plain.destroy(error));
  plain.once('close', () => packed.destroy());
  return packed.pipe(plain);
}

/** `gzip;q=0` refuses it. */
function acceptsGzip(accepted = ''): boolean {
  return accepted.split(',').some((coding) => /^\s*(?:gzip|\*)\s*(?:;\s*q=(?!0(?:\.0*)?\s*$)|$)/i.test(coding));
}

function hasTag(given: string | undefined, tag: string): boolean {
  if (given === undefined) return false;
  return given.trim() === '*' || given.split(',').some((one) => strong(one) === strong(tag));
}

function strong(tag: string): string {
  return tag.trim().replace(/^W\//, '');
}
