import { quoted } from '../../model/text.ts';
import { CommandError, UsageError } from '../base/dependencies.ts';
import { exitCodes } from '../base/exit-codes.ts';

/** The one of a list that a person means by its name or its identifier. @param noun such as `webhook`. */
export function named<Item extends { readonly id: string; readonly name: string | null }>(
  items: readonly Item[],
  given: string,
  noun: string,
): Item {
  const [found, another] = items.filter(({ id, name }) => id === given.toLowerCase() || name === given);
  if (found === undefined) {
    throw new CommandError(`There is no ${noun} ${quoted(given)}; "gatelog ${noun}s list" shows them.`, exitCodes.notFound);
  }
  if (another !== undefined) throw new UsageError(`The name ${quoted(given)} means two; give the identifier.`);
  return found;
}
