import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';

/** A file of the documentation in the service, as the build lists it. */
export interface SiteFile {
  /** The gzipped file. */
  readonly file: string;
  /** The gzipped content, where it is not the file's. */
  readonly packed?: Buffer;
  readonly type: string;
  /** Of the content. */
  readonly hash: string;
  /** Of the gzipped file. */
  readonly bytes: number;
  /** Whether the path holds the hash. */
  readonly immutable: boolean;
  /** Of the dashboard: the paths of the scripts of each part that is loaded later, by its name. */
  readonly parts?: Readonly<Record<string, readonly string[]>>;
}

/** @returns undefined for a path without a file. */
export type FindSiteFile = (path: string) => SiteFile | undefined;

/**
 * @param folder what `scripts/pages.mjs` has made. Its list is read when a file is first asked for.
 * @param basePath before all paths as browsers know them.
 */
export function siteFilesIn(folder: string, basePath = ''): FindSiteFile {
  let files: ReadonlyMap<string, SiteFile> | undefined;
  return (served) => {
    files ??= filesIn(folder, basePath);
    return files.get(served);
  };
}

function filesIn(folder: string, basePath: string): ReadonlyMap<string, SiteFile> {
  const listed = JSON.parse(readFileSync(path.join(folder, 'files.json'), 'utf8')) as SiteFiles;
  const files = new Map(Object.entries(listed).map(([served, found]) => [served, { ...found, file: path.join(folder, found.file) }]));
  const dashboard = files.get('/');
  if (dashboard !== undefined && basePath !== '') files.set('/', dashboardBelow(basePath, dashboard));
  return files;
}

/** The page with the base path before its scripts, and told it for its own links and calls. All other files find each other from their places. */
function dashboardBelow(basePath: string, dashboard: SiteFile): SiteFile {
  const page = gunzipSync(readFileSync(dashboard.file)).toString('utf8');
  const moved = page.replaceAll(/ (src|href)="\//g, ` $1="${basePath}/`).replace('<html', `<html data-base-path="${basePath}"`);
  const packed = gzipSync(moved);
  const parts = Object.entries(dashboard.parts ?? {}).map(([part, scripts]) => [part, scripts.map((script) => basePath + script)]);
  return {
    ...dashboard,
    packed,
    bytes: packed.length,
    hash: hash('sha256', moved, 'hex').slice(0, 16),
    parts: Object.fromEntries(parts) as NonNullable<SiteFile['parts']>,
  };
}

type SiteFiles = Readonly<Record<string, SiteFile>>;
