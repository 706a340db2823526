import { type ReactNode, useState } from 'react';
import type { FilterNode } from '../../../../src/query/filter/ast.ts';
import { useMay } from '../../../lib/signed-in.ts';
import type { RangeSearch } from '../../../lib/time-range.ts';
import { Button } from '../../../ui/button.tsx';
import { LinkButton } from '../../../ui/link-button.tsx';
import type { Column } from '../list/columns.tsx';
import type { Live } from '../list/use-live.ts';
import { isLive, type RequestsSearch } from '../search.ts';
import { ColumnsDialog } from './columns-dialog.tsx';
import { ExportDialog } from './export-dialog.tsx';
import { ViewsDialog } from './views-dialog.tsx';
import styles from '../requests-page.module.css';

export interface RequestsToolsProps {
  readonly search: RequestsSearch & RangeSearch;
  readonly columns: readonly Column[];
  /** Names of scores among the requests that are loaded. */
  readonly scores: readonly string[];
  readonly filter: FilterNode;
  readonly live: Live;
  readonly areFacetsOpen: boolean;
  readonly onFacets: (areOpen: boolean) => void;
  readonly onChange: (changed: RequestsSearch & RangeSearch, replace?: boolean) => void;
}

const liveTexts = { off: 'Live', connecting: 'Live: connecting', connected: 'Live: on', lost: 'Live: connecting again' } as const;

/** What can be done with the list beside searching it. */
export function RequestsTools({ search, columns, scores, filter, live, areFacetsOpen, onFacets, onChange }: RequestsToolsProps): ReactNode {
  const [dialog, setDialog] = useState<'columns' | 'views' | 'export'>();
  const close = (): void => setDialog(undefined);
  const { q, range, from, to, pinned = 0 } = search;
  const mayAlert = useMay('admin');
  const isOn = isLive(search);
  const toggled = isOn
    ? { live: undefined }
    : { live: true, sort: undefined, ...(to === undefined ? {} : { from: undefined, to: undefined }) };
  return (
    <div className={styles['tools']}>
      <Button onPress={() => onFacets(!areFacetsOpen)} aria-expanded={areFacetsOpen}>
        Facets
      </Button>
      <Button onPress={() => onChange(toggled, true)} aria-pressed={isOn}>
        {liveTexts[live.state]}
      </Button>
      <Button onPress={() => setDialog('columns')}>Columns</Button>
      <Button onPress={() => setDialog('views')}>Views</Button>
      <Button onPress={() => setDialog('export')}>Export</Button>
      {mayAlert && (
        <LinkButton to="/alerts/new" search={q === undefined ? {} : { q }}>
          Make an alert
        </LinkButton>
      )}
      {dialog === 'columns' && (
        <ColumnsDialog
          columns={columns.map(({ id }) => id)}
          pinned={pinned}
          scores={scores}
          onChange={(chosen, stay) => onChange({ columns: chosen, pinned: stay === 0 ? undefined : stay }, true)}
          onClose={close}
        />
      )}
      {dialog === 'views' && <ViewsDialog search={search} onClose={close} />}
      {dialog === 'export' && <ExportDialog filter={filter} range={{ range, from, to }} columns={columns} onClose={close} />}
    </div>
  );
}
