import { printConfig } from '../../config/print.ts';
import type { CommandContext } from '../dependencies.ts';

/** `gatelog config`: every setting with its value, default and reason. */
export function showConfig({ config, print }: CommandContext): void {
  print(printConfig(config));
}
