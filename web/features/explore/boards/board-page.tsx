import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { Board, ChangedBoard } from '../../../../src/client/types/dashboard.ts';
import { gatelog } from '../../../lib/client.ts';
import { formatAmount } from '../../../lib/format.ts';
import { useMay } from '../../../lib/signed-in.ts';
import type { RangeSearch } from '../../../lib/time-range.ts';
import { Button } from '../../../ui/button.tsx';
import { Empty } from '../../../ui/empty.tsx';
import { Page } from '../../../ui/layout/page.tsx';
import { LinkButton } from '../../../ui/link-button.tsx';
import { Loading } from '../../../ui/loading.tsx';
import { ErrorNotice } from '../../../ui/notice.tsx';
import { ConfirmButton } from '../../../ui/overlay/confirm-button.tsx';
import { PageError } from '../../../ui/page-error.tsx';
import { RangeSelect } from '../../../ui/time/range-select.tsx';
import { BoardPanelView } from './board-panel.tsx';
import { boardQuery } from './boards-query.ts';
import { JsonDialog } from './json-dialog.tsx';
import { boardRangeOf, rangeOf } from './panel.ts';
import { RenameDialog } from './rename-dialog.tsx';
import styles from './boards.module.css';

const route = getRouteApi('/shell/boards/$boardId');

/** The panels of a board over one range of time. */
export function BoardPage(): ReactNode {
  const { boardId } = route.useParams();
  const { data: board, error } = useQuery(boardQuery(boardId));
  if (error !== null) return <PageError error={error} page={{ what: 'Board', back: { to: '/boards', title: 'All boards' } }} />;
  return board === undefined ? <Loading what="Loading the board" /> : <Shown board={board} />;
}

function Shown({ board }: { readonly board: Board }): ReactNode {
  const mayChange = useMay('write');
  const [now] = useState(() => Date.now());
  const [open, setOpen] = useState<BoardDialog>();
  const { change, replace, remove, failure } = useBoardChanges(board);
  const { panels } = board;
  const range = rangeOf(board.time_range, now);
  return (
    <Page title={board.name} actions={<BoardActions {...{ range, mayChange, change, remove, setOpen }} panels={panels.length} />}>
      <ErrorNotice error={failure} />
      {panels.length === 0 && (
        <Empty title="No panel yet">
          <p className="muted">
            <Link to="/explore">Explore</Link> a question, then save it to this board.
          </p>
        </Empty>
      )}
      <div className={styles['panels']}>
        {panels.map((panel, index) => (
          <BoardPanelView
            key={`${index} ${panel.title}`}
            {...{ panel, range, mayChange }}
            boardId={board.id}
            place={index}
            onRename={(title) => replace({ ...board, panels: panels.with(index, { ...panel, title }) })}
            onWidth={(width) => change({ panels: panels.with(index, { ...panel, width }) })}
            onRemove={() => replace({ ...board, panels: panels.toSpliced(index, 1) })}
            onMove={(by) => change({ panels: panels.toSpliced(index, 1).toSpliced(Math.max(0, index + by), 0, panel) })}
          />
        ))}
      </div>
      <BoardDialogs {...{ board, open, mayChange, replace }} onClose={() => setOpen(undefined)} />
    </Page>
  );
}

type BoardDialog = 'json' | 'name';

interface BoardActionsProps extends Pick<ReturnType<typeof useBoardChanges>, 'change' | 'remove'> {
  readonly range: RangeSearch;
  readonly mayChange: boolean;
  /** How many there are. */
  readonly panels: number;
  readonly setOpen: (dialog: BoardDialog) => void;
}

function BoardActions({ range, mayChange, panels, change, remove, setOpen }: BoardActionsProps): ReactNode {
  const json = (
    <Button kind="quiet" onPress={() => setOpen('json')}>
      JSON
    </Button>
  );
  if (!mayChange) return json;
  return (
    <>
      <RangeSelect value={range} onChange={(chosen: RangeSearch) => change({ time_range: boardRangeOf(chosen) })} />
      <LinkButton to="/explore" search={range}>
        Add a panel
      </LinkButton>
      <Button onPress={() => setOpen('name')}>Rename</Button>
      {json}
      <ConfirmButton title="Delete the board" consequence={goesWithBoard(panels)} onConfirm={remove}>
        Delete
      </ConfirmButton>
    </>
  );
}

function goesWithBoard(panels: number): string {
  if (panels === 0) return 'It has no panel. No request is deleted.';
  return `${formatAmount(panels, 'panel')} ${panels === 1 ? 'goes' : 'go'} with it. No request is deleted.`;
}

interface BoardDialogsProps extends Pick<ReturnType<typeof useBoardChanges>, 'replace'> {
  readonly board: Board;
  readonly open: BoardDialog | undefined;
  readonly mayChange: boolean;
  readonly onClose: () => void;
}

function BoardDialogs({ board, open, mayChange, replace, onClose }: BoardDialogsProps): ReactNode {
  const store = (changed: ChangedBoard): Promise<void> => replace(changed).then(onClose);
  if (open === 'name') {
    const rename = (name: string): Promise<void> => store({ ...board, name });
    return <RenameDialog title="Rename the board" label="Name" name={board.name} submit="Rename" onSubmit={rename} onClose={onClose} />;
  }
  if (open === undefined) return null;
  return (
    <JsonDialog
      title="The board as JSON"
      initial={board}
      canCopy
      submit="Save the board"
      isReadOnly={!mayChange}
      onSubmit={(value) => store(value as ChangedBoard)}
      onClose={onClose}
    />
  );
}

/** The version of the board goes with each change, so that one of somebody else is not overwritten. */
function useBoardChanges(board: Board) {
  const navigate = route.useNavigate();
  const queryClient = useQueryClient();
  const [failure, setFailure] = useState<unknown>(null);
  const replace = async (changed: ChangedBoard): Promise<void> => {
    const { data } = await gatelog.boards.replace(board.id, changed);
    queryClient.setQueryData(boardQuery(board.id).queryKey, data);
  };
  const change = (changed: Partial<ChangedBoard>): void => {
    setFailure(null);
    replace({ ...board, ...changed }).catch(setFailure);
  };
  const remove = async (): Promise<void> => {
    await gatelog.boards.delete(board.id);
    await navigate({ to: '/boards' });
    await queryClient.invalidateQueries({ queryKey: ['boards'] });
  };
  return { change, replace, remove, failure };
}
