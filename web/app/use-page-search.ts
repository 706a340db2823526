import { useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { type RangeSearch, rangeSearchOf } from '../lib/time-range.ts';
import type { PageLink } from './pages.ts';

/** With what in its address a page is opened. */
export type PageSearch = (page: PageLink) => RangeSearch;

/** Pages with a time range are opened with the one that was chosen last, so that the range stays while one goes from page to page. */
export function usePageSearch(): PageSearch {
  const { range, from, to } = rangeSearchOf(useSearch({ strict: false }));
  const [chosen, setChosen] = useState<RangeSearch>({});
  // Pages without a range, and those that show their own, leave it as it is.
  const isChosen = range !== undefined || from !== undefined || to !== undefined;
  const isOther = chosen.range !== range || chosen.from !== from || chosen.to !== to;
  if (isChosen && isOther) setChosen({ range, from, to });
  return ({ hasRange = false }) => (hasRange ? chosen : {});
}
