import { type Config, type Fault, faultSentence, loadConfig } from '../../config/load.ts';
import { machineSentence, thisMachine } from '../../config/machine.ts';
import { printConfig } from '../../config/print.ts';
import { type CommandDependencies, CommandError } from '../base/dependencies.ts';

/**
 * `gatelog config`: every setting with its value, default and reason; faulty settings appear as unset. @throws CommandError that names the
 * faults.
 */
export function showConfig({ environment, print, hint, columns }: CommandDependencies): void {
  const { config, faults } = loadedAtLeast(environment);
  const machine = thisMachine();
  print(printConfig(config, machine, columns));
  hint(machineSentence(machine));
  if (faults.length > 0) throw new CommandError(faults.map(faultSentence).join('\n'));
}

function loadedAtLeast(environment: CommandDependencies['environment']): { readonly config: Config; readonly faults: readonly Fault[] } {
  const faults: Fault[] = [];
  for (let rest = environment; ;) {
    const loaded = loadConfig(rest);
    if ('config' in loaded) return { config: loaded.config, faults };
    faults.push(...loaded.faults);
    const wrong = new Set(loaded.faults.map(({ variable }) => variable));
    rest = Object.fromEntries(Object.entries(rest).filter(([name]) => name.startsWith('GATELOG_') && !wrong.has(name)));
  }
}
