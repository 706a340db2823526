import type { Fault } from '../../config/fault.ts';
import { type GivenVariables, loadGiven, readVariables } from '../../config/given.ts';
import { type Config, faultSentence } from '../../config/load.ts';
import { machineSentence, thisMachine } from '../../config/machine.ts';
import { printConfig } from '../../config/print.ts';
import { type CommandDependencies, CommandError } from '../base/dependencies.ts';

/**
 * `gatelog config`: every setting with its value, default and reason; faulty settings appear as unset. @throws CommandError that names the
 * faults.
 */
export function showConfig({ environment, environmentFile, print, hint, columns }: CommandDependencies): void {
  const given = readVariables(environment, environmentFile);
  const { config, faults } = loadedAtLeast(given);
  const machine = thisMachine();
  print(printConfig(config, { machine, columns, given }));
  hint(machineSentence(machine));
  if (faults.length > 0) throw new CommandError(faults.map(faultSentence).join('\n'));
}

function loadedAtLeast(given: GivenVariables): { readonly config: Config; readonly faults: readonly Fault[] } {
  const faults: Fault[] = [];
  for (let rest = given; ;) {
    const loaded = loadGiven(rest);
    if ('config' in loaded) return { config: loaded.config, faults };
    faults.push(...loaded.faults);
    const wrong = new Set(loaded.faults.map(({ variable }) => variable));
    const values = Object.fromEntries(Object.entries(rest.values).filter(([name]) => name.startsWith('GATELOG_') && !wrong.has(name)));
    rest = { ...rest, values, faults: [] };
  }
}
