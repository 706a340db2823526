import { readFileSync } from 'node:fs';
import path from 'node:path';

/** A file of the documentation in the service, as the build lists it. */
export interface SiteFile {
  /** The gzipped file. */
  readonly file: string;
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

/** @param folder what `scripts/pages.mjs` has made. Its list is read when a file is first asked for. */
export function siteFilesIn(folder: string): FindSiteFile {
  let files: ReadonlyMap<string, SiteFile> | undefined;
  return (served) => {
    files ??= new Map(Object.entries(JSON.parse(readFileSync(path.join(folder, 'files.json'), 'utf8')) as SiteFiles));
    const found = files.get(served);
    return found === undefined ? undefined : { ...found, file: path.join(folder, found.file) };
  };
}

type SiteFiles = Readonly<Record<string, SiteFile>>;
