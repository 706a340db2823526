import { statSync } from 'node:fs';
import { loadGiven, readVariables } from '../../config/given.ts';
import { messageOf } from '../../model/errors.ts';
import type { CommandDependencies } from '../base/dependencies.ts';
import { serviceSettings, type ServiceSettings } from '../base/environment-file.ts';
import { fail, type Finding, ok, warn } from './finding.ts';

/** The settings of this command, and what there is to say of all that can be seen. */
export interface SeenSettings extends ServiceSettings {
  readonly findings: readonly Finding[];
}

const check = 'settings';

export function checkSettings(dependencies: CommandDependencies): SeenSettings {
  const faults = faultsOf(dependencies);
  try {
    const settings = serviceSettings(dependencies);
    const found = [...faults, ...checkFile(dependencies, settings)];
    return { ...settings, findings: found.length > 0 ? found : [ok(check, sourcesOf(dependencies, settings))] };
  } catch (error) {
    const unread = fail(check, messageOf(error), 'Fix the file, or set both in the environment.');
    return { apiUrl: undefined, apiKey: undefined, findings: [...faults, unread] };
  }
}

function faultsOf({ environment, environmentFile }: CommandDependencies): readonly Finding[] {
  const loaded = loadGiven(readVariables(environment, environmentFile));
  if ('config' in loaded) return [];
  return loaded.faults.map(({ place, variable, problem, remedy }) => {
    return fail(
      check,
      `${place === undefined ? '' : `${place}: `}${variable} ${problem}; "gatelog serve" does not start so.`,
      `${remedy.charAt(0).toUpperCase()}${remedy.slice(1)}.`,
    );
  });
}

function checkFile({ environment, environmentFile: file }: CommandDependencies, settings: ServiceSettings): readonly Finding[] {
  const findings: Finding[] = [];
  if (settings.isFileAddressUnused === true) {
    const says = `GATELOG_API_URL of ${file} is not used, because GATELOG_API_KEY comes from the environment.`;
    findings.push(warn(check, says, 'Set both in one place: a key goes to no address that another place names.'));
  }
  const isKeyOfFile = settings.apiKey !== undefined && environment['GATELOG_API_KEY'] === undefined;
  const mode = isKeyOfFile ? (statSync(file, { throwIfNoEntry: false })?.mode ?? 0) : 0;
  if (process.platform !== 'win32' && (mode & 0o044) !== 0) {
    findings.push(warn(check, `Other users of this machine can read the key in ${file}.`, `chmod 600 ${file}`));
  }
  return findings;
}

/** Where the two settings of this command come from. */
function sourcesOf({ environment, environmentFile: file }: CommandDependencies, { apiUrl, apiKey }: ServiceSettings): string {
  const source = (name: string, value: string | undefined): string => {
    if (value === undefined) return 'not set';
    return environment[name] === undefined ? `from ${file}` : 'from the environment';
  };
  return `GATELOG_API_URL ${source('GATELOG_API_URL', apiUrl)}, GATELOG_API_KEY ${source('GATELOG_API_KEY', apiKey)}`;
}
