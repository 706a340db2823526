import type { Price } from '../../../src/client/client.ts';
import { addressedProviders, providerInRecords } from '../../../src/model/providers/providers.ts';
import { dayFault } from './past-costs.ts';

/** As the API bounds them. */
const maxModel = 256;
export const amountBounds = { min: 0, max: 1_000_000_000 };

/** Names in records, also of the built-in provider and of calls whose provider nobody knows. */
const recordNames: ReadonlySet<string | undefined> = new Set([...addressedProviders.map(providerInRecords), 'ECHO', 'CUSTOM']);

/** The name in records of a provider by any of its names; undefined: it is none. */
function recordNameOf(provider: string): string | undefined {
  const upper = provider.toUpperCase();
  return providerInRecords(provider) ?? (recordNames.has(upper) ? upper : undefined);
}

/** Whether two prices are for the same calls; a list has no two of them. */
export function isSamePrice(one: Price, other: Price): boolean {
  const [key, otherKey] = [one, other].map(({ model, provider, valid_from: from }) =>
    JSON.stringify([model, provider ?? null, from ?? null]),
  );
  return key === otherKey;
}

/** What a form has of a price beside its amounts, as it is typed. */
export interface TypedPrice {
  readonly model: string;
  readonly provider: string;
  readonly from: string;
}

function modelFault(model: string): string | undefined {
  if (model.trim().length > maxModel) return `Write at most ${maxModel} characters.`;
  return model.trim().slice(0, -1).includes('*') ? 'A “*” stands only at the end, such as my-model-*.' : undefined;
}

function providerFault(provider: string): string | undefined {
  const isKnown = provider.trim() === '' || recordNameOf(provider.trim()) !== undefined;
  return isKnown ? undefined : 'No provider has this name. Write one such as openai, or leave it empty.';
}

/** @param others The prices that are stored beside it. */
function twiceFault(typed: TypedPrice, others: readonly Price[]): string | undefined {
  const key = keyOf(typed);
  const isThere = others.some(
    ({ model, provider, valid_from: from }) => keyOf({ model, provider: provider ?? '', from: from ?? '' }) === key,
  );
  return isThere ? 'This model has a price for the same provider from the same day. Edit that one.' : undefined;
}

function keyOf({ model, provider, from }: TypedPrice): string {
  const name = provider.trim();
  return JSON.stringify([model.trim(), name === '' ? '' : (recordNameOf(name) ?? name), from.trim()]);
}

export function faultsOf(typed: TypedPrice, others: readonly Price[]): Readonly<Record<keyof TypedPrice, string | undefined>> {
  return {
    model: modelFault(typed.model) ?? twiceFault(typed, others),
    provider: providerFault(typed.provider),
    from: dayFault(typed.from),
  };
}
