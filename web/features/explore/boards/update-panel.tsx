import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { gatelog } from '../../../lib/client.ts';
import { Button } from '../../../ui/button.tsx';
import { ErrorNotice } from '../../../ui/notice.tsx';
import { panelOf, type PanelQuery } from './panel.ts';

export interface UpdatePanelProps {
  readonly query: PanelQuery;
  readonly boardId: string;
  /** Place of the panel, from 0. */
  readonly panel: number;
}

/** Puts what is explored in the place of a panel, whose title and width stay. */
export function UpdatePanel({ query, boardId, panel }: UpdatePanelProps): ReactNode {
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const update = useMutation({
    mutationFn: async () => {
      const { data: board } = await gatelog.boards.get(boardId);
      const known = board.panels[panel];
      if (known === undefined) throw new Error('The board no longer has this panel.');
      const changed = { ...known, ...panelOf(known.title, query), width: known.width ?? 1 };
      await gatelog.boards.replace(boardId, { ...board, panels: board.panels.with(panel, changed) });
    },
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['boards'] });
      await navigate({ to: '/boards/$boardId', params: { boardId } });
    },
  });
  return (
    <>
      <ErrorNotice error={update.error} />
      <Button kind="primary" onPress={() => update.mutate()} isDisabled={update.isPending}>
        Save the panel
      </Button>
    </>
  );
}
