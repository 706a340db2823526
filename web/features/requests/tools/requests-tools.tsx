import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { FilterNode } from '../../../../src/query/filter/ast.ts';
import { useMay } from '../../../lib/signed-in.ts';
import type { RangeSearch } from '../../../lib/time-range.ts';
import { useNarrow } from '../../../lib/use-narrow.ts';
import { Button } from '../../../ui/button.tsx';
import { LinkButton } from '../../../ui/link-button.tsx';
import { MenuButton } from '../../../ui/overlay/menu-button.tsx';
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
  readonly filter: FilterNode;
  readonly live: Live;
  readonly areFacetsOpen: boolean;
  readonly onFacets: (areOpen: boolean) => void;
  readonly onChange: (changed: RequestsSearch & RangeSearch, replace?: boolean) => void;
}

const liveTexts = { off: 'Live', connecting: 'Live: connecting', connected: 'Live: on', lost: 'Live: connecting again' } as const;

const dialogs = [
  { id: 'columns', title: 'Columns' },
  { id: 'views', title: 'Views' },
  { id: 'export', title: 'Export' },
] as const;
type DialogKey = (typeof dialogs)[number]['id'];

/** What can be done with the list beside searching it. */
export function RequestsTools(props: RequestsToolsProps): ReactNode {
  const { search, columns, filter, onChange } = props;
  const { range, from, to, pinned = 0 } = search;
  const [dialog, setDialog] = useState<DialogKey>();
  const close = (): void => setDialog(undefined);
  const Buttons = useNarrow() ? NarrowButtons : WideButtons;
  return (
    <div className={styles['tools']}>
      <Buttons {...props} onDialog={setDialog} />
      {dialog === 'columns' && (
        <ColumnsDialog
          columns={columns.map(({ id }) => id)}
          pinned={pinned}
          onChange={(chosen, stay) => onChange({ columns: chosen, pinned: stay === 0 ? undefined : stay }, true)}
          onClose={close}
        />
      )}
      {dialog === 'views' && <ViewsDialog search={search} onClose={close} />}
      {dialog === 'export' && <ExportDialog filter={filter} range={{ range, from, to }} columns={columns} onClose={close} />}
    </div>
  );
}

type ButtonsProps = Pick<RequestsToolsProps, 'search' | 'live' | 'areFacetsOpen' | 'onFacets' | 'onChange'> & {
  readonly onDialog: (dialog: DialogKey) => void;
};

function WideButtons({ search, live, areFacetsOpen, onFacets, onChange, onDialog }: ButtonsProps): ReactNode {
  const mayAlert = useMay('admin');
  return (
    <>
      <Button onPress={() => onFacets(!areFacetsOpen)} aria-expanded={areFacetsOpen}>
        Facets
      </Button>
      <LiveButton {...{ search, live, onChange }} />
      {dialogs.map(({ id, title }) => (
        <Button key={id} onPress={() => onDialog(id)}>
          {title}
        </Button>
      ))}
      {mayAlert && (
        <LinkButton to="/alerts/new" search={alertSearch(search)}>
          New alert rule
        </LinkButton>
      )}
    </>
  );
}

/** All in one menu; that the list is live, and its end, are seen beside it. */
function NarrowButtons({ search, live, areFacetsOpen, onFacets, onChange, onDialog }: ButtonsProps): ReactNode {
  const mayAlert = useMay('admin');
  const navigate = useNavigate();
  const isOn = isLive(search);
  return (
    <>
      {isOn && <LiveButton {...{ search, live, onChange }} />}
      <MenuButton
        label="More"
        items={[
          { id: 'facets', title: areFacetsOpen ? 'Hide facets' : 'Facets', onPick: () => onFacets(!areFacetsOpen) },
          ...(isOn ? [] : [{ id: 'live', title: liveTexts.off, onPick: () => onChange(toggledLive(search), true) }]),
          ...dialogs.map(({ id, title }) => ({ id, title, onPick: () => onDialog(id) })),
          ...(mayAlert
            ? [{ id: 'alert', title: 'New alert rule', onPick: () => void navigate({ to: '/alerts/new', search: alertSearch(search) }) }]
            : []),
        ]}
      />
    </>
  );
}

function LiveButton({ search, live, onChange }: Pick<ButtonsProps, 'search' | 'live' | 'onChange'>): ReactNode {
  return (
    <Button onPress={() => onChange(toggledLive(search), true)} aria-pressed={isLive(search)}>
      {liveTexts[live.state]}
    </Button>
  );
}

/** A live list is the newest first, up to now. */
function toggledLive(search: RequestsSearch & RangeSearch): RequestsSearch & RangeSearch {
  if (isLive(search)) return { live: undefined };
  return { live: true, sort: undefined, ...(search.to === undefined ? {} : { from: undefined, to: undefined }) };
}

function alertSearch({ q }: RequestsSearch): { readonly q?: string } {
  return q === undefined ? {} : { q };
}
