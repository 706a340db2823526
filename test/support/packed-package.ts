import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** A folder of a project in which the packed package lies, as `npm install` unpacks it, but none of its dependencies. */
export interface Project {
  readonly folder: string;
  /** Writes a file. @returns its path. */
  readonly write: (name: string, text: string) => string;
  /** Makes an installed package of the repository available in it. */
  readonly link: (name: string) => void;
  readonly remove: () => void;
}

const repository = path.resolve('.');

export function projectWithPackage(): Project {
  const folder = mkdtempSync(path.join(tmpdir(), 'gatelog-project-'));
  const home = path.join(folder, 'node_modules', 'gatelog');
  mkdirSync(home, { recursive: true });
  execFileSync('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], { cwd: repository, stdio: 'ignore' });
  const archive = readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? '';
  execFileSync('tar', ['xzf', path.join(folder, archive), '-C', home, '--strip-components=1']);
  const write = (name: string, text: string): string => {
    writeFileSync(path.join(folder, name), text);
    return path.join(folder, name);
  };
  write('package.json', '{ "private": true, "type": "module" }\n');
  return {
    folder,
    write,
    link: (name) => cpSync(path.join(repository, 'node_modules', name), path.join(folder, 'node_modules', name), { recursive: true }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
