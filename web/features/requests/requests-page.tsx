import { getRouteApi, Link, useLocation, useRouter } from '@tanstack/react-router';
import { type ReactNode, Suspense, useMemo, useRef, useState } from 'react';
import { lazyPart } from '../../lib/lazy-part.tsx';
import type { RequestItem } from '../../../src/client/client.ts';
import { conditionsIn, everything, type FilterNode } from '../../../src/query/filter/ast.ts';
import { formatAmount } from '../../lib/format.ts';
import type { Figures } from '../../lib/metrics/groups.ts';
import { figureText } from '../../lib/metrics/metric-format.ts';
import { useReadSearch } from '../../lib/read-search.ts';
import type { RangeSearch } from '../../lib/time-range.ts';
import { useNarrow } from '../../lib/use-narrow.ts';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Loading } from '../../ui/loading.tsx';
import { SearchBar } from '../../ui/search/search-bar.tsx';
import { Select } from '../../ui/select.tsx';
import { RangeSelect } from '../../ui/time/range-select.tsx';
import { type Column, columnsOf, phoneColumns, standardColumns } from './list/columns.tsx';
import { RequestsList } from './list/requests-list.tsx';
import { TimeStrip } from './list/time-strip.tsx';
import { type ListCourse, useListCourse } from './list/use-course.ts';
import { useIsUnlisted } from './list/use-is-unlisted.ts';
import { countNew, type Live, useLive } from './list/use-live.ts';
import { firstRows, type RequestList, useRequests } from './list/use-requests.ts';
import { useSelection } from './list/use-selection.ts';
import { keepRequest, useKeptRequest } from './kept-request.ts';
import { RequestDetail } from './request-detail.tsx';
import { isLive, type RequestsSearch, sorts, standardSort } from './search.ts';
import { SelectionBar } from './tools/selection-bar.tsx';
import { RequestsTools } from './tools/requests-tools.tsx';
import { InlineButton } from '../../ui/inline-button.tsx';
import styles from './requests-page.module.css';

const Facets = lazyPart(async () => (await import('./tools/facets.tsx')).Facets);
const FilterBuilder = lazyPart(async () => (await import('../../ui/filter-builder/filter-builder.tsx')).FilterBuilder);

const route = getRouteApi('/shell/requests');

const sortOptions = Object.entries(sorts).map(([value, { label }]) => ({ value: value as keyof typeof sorts, label }));

export function RequestsPage(): ReactNode {
  const search = route.useSearch();
  const { q = '' } = search;
  const navigate = route.useNavigate();
  const change = (changed: RequestsSearch & RangeSearch, replace = false): void => {
    void navigate({ search: (before) => ({ ...before, ...changed }), replace });
  };
  const onSearch = (text: string, replace = false): void => change({ q: text === '' ? undefined : text }, replace);
  const [areFacetsOpen, setAreFacetsOpen] = useState(false);
  const { filter } = useReadSearch(q);
  const [isRefused, setIsRefused] = useRefused(q);
  const isOn = isLive(search);
  // On a phone the details are a page of their own.
  const isAlone = useNarrow() && search.request !== undefined;
  const { list, live, course, hasStrip } = useListed(search, filter, isAlone);
  const columns = useColumns(search.columns, list.rows);
  return (
    <div className={styles['page']}>
      {isAlone ? (
        <h1 className="visually-hidden">Requests</h1>
      ) : (
        <Bars
          {...{ search, filter, list, live, columns, areFacetsOpen, onSearch, change, isRefused }}
          onRefused={setIsRefused}
          course={course}
          onFacets={setAreFacetsOpen}
        />
      )}
      <Content
        {...{ search, filter, list, live, columns, areFacetsOpen, onSearch, isRefused }}
        onChange={change}
        strip={!isOn && stripOf(hasStrip, course, (start, end) => change({ range: undefined, from: start, to: end }))}
      />
    </div>
  );
}

/** The list with what came in since and its course. @param isAlone nothing is shown of it but an open request. */
function useListed(search: RequestsSearch & RangeSearch, filter: FilterNode | undefined, isAlone: boolean) {
  const { sort = standardSort, request, range, from, to } = search;
  const [isOn, isOpen] = [isLive(search), request !== undefined];
  const listed = useRequests({ filter, range: { range, from, to }, sort, isLive: isOn, isCountElsewhere: isOpen && !isOn });
  const live = useLive({ filter, range: { range, from, to }, isOn });
  const arrived = useMemo(() => countNew(live, listed.rows), [live, listed.rows]);
  const hasStrip = filter !== undefined && !isOn && !isAlone && listed.rows.length > 0;
  // Beside an open request, whose parts are asked for too, the course tells the number.
  const course = useListCourse({ filter, range: { range, from, to }, isAsked: hasStrip && (isOpen || isCounted(listed)) });
  const total = listed.total ?? (isOpen ? course?.total?.count : undefined) ?? undefined;
  return { list: { ...listed, total: total === undefined ? undefined : total + arrived }, live, course, hasStrip };
}

interface BarsProps extends Pick<ContentProps, 'search' | 'filter' | 'live' | 'columns' | 'areFacetsOpen' | 'isRefused'> {
  readonly list: RequestList;
  readonly course: ListCourse | undefined;
  readonly onFacets: (areOpen: boolean) => void;
  readonly onRefused: (isRefused: boolean) => void;
  readonly onSearch: (q: string, replace?: boolean) => void;
  readonly change: (changed: RequestsSearch & RangeSearch, replace?: boolean) => void;
}

/** What the list is of, and what can be done with it. */
function Bars({ search, filter, list, live, columns, course, areFacetsOpen, isRefused, ...on }: BarsProps): ReactNode {
  const { q = '', sort = standardSort, range, from, to } = search;
  const { onFacets, onSearch, onRefused, change } = on;
  const isBuilt = search.builder === true;
  return (
    <>
      <header className={styles['bar']}>
        <h1>Requests</h1>
        <p className="muted" aria-live="polite">
          {isRefused && 'Previous search: '}
          {sizeOf(list)}
        </p>
        {!isLive(search) && <p className="muted">{figuresOf(course?.total)}</p>}
        <KeptNote />
        <RequestsTools {...{ search, columns, live, areFacetsOpen, onFacets }} filter={filter ?? everything} onChange={change} />
      </header>
      <div className={styles['bar']}>
        <SearchBar value={q} onChange={onSearch} onRefused={onRefused} />
        <Button onPress={() => change({ builder: isBuilt ? undefined : true }, true)} aria-expanded={isBuilt}>
          Builder
        </Button>
        <RangeSelect value={{ range, from, to }} onChange={change} />
        <Select label="Order" value={sort} options={sortOptions} onChange={(value) => change({ sort: value })} />
      </div>
      {isBuilt && filter !== undefined && (
        <Suspense fallback={<Loading />}>
          <FilterBuilder filter={filter} onChange={(text) => onSearch(text, true)} />
        </Suspense>
      )}
    </>
  );
}

/** Which request waits for another one. */
function KeptNote(): ReactNode {
  const kept = useKeptRequest();
  if (kept === undefined) return null;
  return (
    <p className="muted" role="status">
      <Link from="/requests" to="/requests" search={(before) => ({ ...before, request: kept })}>
        One request
      </Link>{' '}
      is pinned: open another to compare <InlineButton onPress={() => keepRequest(undefined)}>Cancel</InlineButton>
    </p>
  );
}

/** Whether a search was sent that cannot be read while the list of another one is shown. */
function useRefused(q: string): readonly [boolean, (isRefused: boolean) => void] {
  const [beside, setBeside] = useState<string>();
  if (beside !== undefined && beside !== q) setBeside(undefined);
  return [beside === q, (isRefused) => setBeside(isRefused ? q : undefined)];
}

/** It has its place before its figures are there. */
function stripOf(hasPlace: boolean, course: ListCourse | undefined, onZoom: (start: number, end: number) => void): ReactNode {
  return hasPlace || course !== undefined ? <TimeStrip shown={course} onZoom={onZoom} /> : null;
}

function isCounted({ total, countError }: RequestList): boolean {
  return total !== undefined || countError !== null;
}

/** The chosen columns, else those that fit the requests at the top: further ones change no column. */
function useColumns(chosen: readonly string[] | undefined, rows: readonly RequestItem[]): readonly Column[] {
  const isNarrow = useNarrow();
  const key = JSON.stringify(chosen ?? (isNarrow ? phoneColumns : standardColumns(rows.slice(0, firstRows))));
  return useMemo(() => columnsOf(JSON.parse(key) as readonly string[]), [key]);
}

function sizeOf({ total, countError }: RequestList): string {
  if (total !== undefined) return formatAmount(total, 'request');
  return countError === null ? '' : `Not counted: ${countError.message}`;
}

/** What they cost and how many failed, as far as it is known. */
function figuresOf(total: Figures | undefined): string {
  if (total === undefined || (total.count ?? 0) === 0) return '';
  const failed = (total.errors ?? 0) > 0 ? [`${figureText('error_rate', total)} failed`] : [];
  return [figureText('cost', total), ...failed].join(' · ');
}

interface ContentProps {
  readonly search: RequestsSearch & RangeSearch;
  readonly filter: FilterNode | undefined;
  readonly list: RequestList;
  readonly live: Live;
  /** The list is of the search before the one that was sent. */
  readonly isRefused: boolean;
  readonly columns: readonly Column[];
  /** Above the list. */
  readonly strip: ReactNode;
  readonly areFacetsOpen: boolean;
  readonly onSearch: (q: string) => void;
  readonly onChange: (changed: RequestsSearch & RangeSearch, replace?: boolean) => void;
}

/** The list between its facets and the details of one request. */
function Content({ search, filter, areFacetsOpen, isRefused, onSearch, onChange, ...shown }: ContentProps): ReactNode {
  const { q = '', request, range, from, to, pinned = 0, sort = standardSort } = search;
  const details = useRef<HTMLHeadingElement>(null);
  const open = useOpen(request, onChange);
  const selection = useSelection();
  const rows = [...shown.live.requests, ...shown.list.rows];
  const isUnlisted = useIsUnlisted(request, { filter, range: { range, from, to }, rows, isLoading: shown.list.isLoading });
  return (
    <div className={styles['split']} data-open={request !== undefined} data-facets={areFacetsOpen} data-stale={isRefused}>
      {areFacetsOpen && filter !== undefined && (
        <Suspense fallback={<Loading />}>
          <Facets filter={filter} range={{ range, from, to }} q={q} onSearch={onSearch} />
        </Suspense>
      )}
      {filter === undefined ? (
        <Empty title="The search cannot be read">
          <p>The search has an error; see below it.</p>
        </Empty>
      ) : (
        <RequestsList
          {...shown}
          selection={selection}
          bar={<SelectionBar selection={selection} columns={shown.columns} />}
          sort={sort}
          onSort={(next) => onChange({ sort: next })}
          onClear={q === '' ? undefined : () => onSearch('')}
          onAllTime={range === 'all' ? undefined : () => onChange({ range: 'all', from: undefined, to: undefined })}
          pinned={pinned}
          openId={request}
          onOpen={open}
          onEnter={() => details.current?.focus()}
          words={wordsOf(filter)}
        />
      )}
      {request !== undefined && (
        <RequestDetail key={request} ref={details} id={request} isUnlisted={isUnlisted} onClose={() => open(undefined)} />
      )}
    </div>
  );
}

/** Opens a request as a step of the history, which Back takes back; another one takes its place, and closing it goes back. */
function useOpen(
  request: string | undefined,
  onChange: (changed: RequestsSearch, replace?: boolean) => void,
): (id: string | undefined) => void {
  const navigate = route.useNavigate();
  const { history } = useRouter();
  const wasOpenedHere = useLocation({ select: ({ state }) => state.isOpened === true });
  return (id) => {
    if (id === request) return;
    if (id === undefined && wasOpenedHere) history.back();
    else if (id === undefined) onChange({ request: undefined, tab: undefined }, true);
    else if (request !== undefined) void navigate({ search: (before) => ({ ...before, request: id }), replace: true, state: true });
    else void navigate({ search: (before) => ({ ...before, request: id }), state: { isOpened: true } });
  };
}

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** Whether the entry before this one is the same list without its details. */
    readonly isOpened?: boolean;
  }
}

/** The texts that a search looks for. */
function wordsOf(filter: FilterNode): readonly string[] {
  const texts = conditionsIn(filter).flatMap(({ family, operator, value }) =>
    family === 'text' && operator === 'contains' ? [value] : [],
  );
  return [...new Set(texts)];
}
