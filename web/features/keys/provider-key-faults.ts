import type { ProviderKey } from '../../../src/client/types/settings.ts';
import { addressedProviderNamed } from '../../../src/model/providers/providers.ts';
import { providerKeyLimits } from '../../../src/model/vocabulary/limits.ts';
import { lengthFault } from '../../lib/name-faults.ts';

const { keyCharacters: maxKey, nameCharacters: maxName } = providerKeyLimits;

/** A key of a provider as a form has it. */
export interface TypedProviderKey {
  readonly provider: string;
  readonly key: string;
  readonly name: string;
}

/** @param stored The keys that there are. */
export function providerKeyFaults(
  { provider, key, name }: TypedProviderKey,
  stored: readonly ProviderKey[],
): Readonly<Record<keyof TypedProviderKey, string | undefined>> {
  const wanted = provider.trim().toLowerCase();
  return {
    provider:
      wanted === '' || addressedProviderNamed(wanted) !== undefined ? undefined : 'No provider has this name. Choose one of the list.',
    key: keyFault(key.trim()),
    name: lengthFault(name, maxName) ?? takenFault(wanted, name.trim(), stored),
  };
}

function keyFault(key: string): string | undefined {
  if (/^bearer\s/i.test(key)) return 'Leave “Bearer” out.';
  if (/^(?:sk-svc|[sp]k-helicone)-/.test(key)) return 'This is a key of Gatelog. Enter the one that the provider gave you.';
  if (!/^[\u0021-\u007e]*$/.test(key)) return 'A key has neither spaces nor special characters. Copy it again from the provider.';
  return key.length > maxKey ? `Write at most ${maxKey} characters.` : undefined;
}

function takenFault(wanted: string, name: string, stored: readonly ProviderKey[]): string | undefined {
  const provider = addressedProviderNamed(wanted);
  const isTaken = name !== '' && stored.some((one) => one.provider === provider && one.name === name);
  return isTaken ? 'The provider has a key of this name. Delete that one first, or write another name.' : undefined;
}
