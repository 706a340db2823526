import { textParam } from '../../lib/search-param.ts';

/** What the address of the page says beside the range of time. */
export interface PropertiesSearch {
  /** The property whose values are shown; without it the first. */
  readonly name?: string | undefined;
}

export function propertiesSearchOf({ name }: Readonly<Record<string, unknown>>): PropertiesSearch {
  return { name: textParam(name) };
}
