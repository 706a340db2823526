import { dashboardLimits } from '../../src/model/dashboard/limits.ts';
import { propertyLimits } from '../../src/model/vocabulary/limits.ts';
import { formatCount } from './format.ts';

/** What is wrong with the length of a text as it is typed, as a sentence; undefined: nothing. Space around it does not count. */
export function lengthFault(text: string, most: number): string | undefined {
  return Array.from(text.trim()).length > most ? `Write at most ${formatCount(most)} characters.` : undefined;
}

function controlFault(text: string): string | undefined {
  return /\p{Cc}/u.test(text.trim()) ? 'Leave out tabs and other control characters.' : undefined;
}

/** What is wrong with the name of a view or a board, or with the title of a panel. */
export function savedNameFault(name: string): string | undefined {
  return lengthFault(name, dashboardLimits.nameCharacters) ?? controlFault(name);
}

export function propertyNameFault(name: string): string | undefined {
  return lengthFault(name, propertyLimits.nameCharacters);
}

/** What is wrong with a name that headers shall have. */
export function declaredNameFault(name: string): string | undefined {
  return propertyNameFault(name) ?? controlFault(name);
}

/** Space around a value is a part of it. */
export function propertyValueFault(value: string): string | undefined {
  const bytes = new TextEncoder().encode(value).length;
  if (bytes <= propertyLimits.valueBytes) return undefined;
  return `Write at most ${formatCount(propertyLimits.valueBytes)} bytes. This value has ${formatCount(bytes)}.`;
}
