import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { View } from '../../../../src/client/client.ts';
import { gatelog } from '../../../lib/client.ts';
import { savedNameFault } from '../../../lib/name-faults.ts';
import { rangeSearchOf } from '../../../lib/time-range.ts';
import { Button } from '../../../ui/button.tsx';
import { correctionOf, Form } from '../../../ui/form/form.tsx';
import { TextField } from '../../../ui/form/text-field.tsx';
import { ConfirmButton } from '../../../ui/overlay/confirm-button.tsx';
import { requestsSearchOf } from '../search.ts';
import styles from './tools.module.css';

export interface SavedViewProps {
  readonly view: View;
  readonly mayChange: boolean;
  readonly onOpen: () => void;
  /** Called once the service has changed or deleted it. */
  readonly onChanged: () => Promise<unknown>;
}

/** A view as a link to its state of the page. */
export function SavedView({ view, mayChange, onOpen, onChanged }: SavedViewProps): ReactNode {
  const [isRenaming, setIsRenaming] = useState(false);
  const remove = async (): Promise<void> => {
    await gatelog.views.delete(view.id);
    await onChanged();
  };
  if (isRenaming) return <RenameForm view={view} onChanged={onChanged} onEnd={() => setIsRenaming(false)} />;
  return (
    <div className={styles['view']}>
      <Link to="/requests" search={{ ...rangeSearchOf(view.search), ...requestsSearchOf(view.search) }} onClick={onOpen}>
        <span className="clip" dir="auto" title={view.name}>
          {view.name}
        </span>
      </Link>
      {mayChange && (
        <>
          <Button kind="quiet" onPress={() => setIsRenaming(true)} aria-label={`Rename ${view.name}`}>
            Rename
          </Button>
          <ConfirmButton title={`Delete ${view.name}`} kind="quiet" consequence="Links to it keep working." onConfirm={remove}>
            Delete
          </ConfirmButton>
        </>
      )}
    </div>
  );
}

interface RenameFormProps {
  readonly view: View;
  readonly onChanged: () => Promise<unknown>;
  readonly onEnd: () => void;
}

function RenameForm({ view: { id, name, page, search }, onChanged, onEnd }: RenameFormProps): ReactNode {
  const [text, setText] = useState(name);
  const fault = savedNameFault(text);
  const rename = async (): Promise<void> => {
    await gatelog.views.replace(id, { name: text.trim(), page, search });
    await onChanged();
    onEnd();
  };
  return (
    <Form
      label={`Rename ${name}`}
      submit="Rename"
      onSubmit={rename}
      onCancel={onEnd}
      missing={text.trim() === '' ? 'A view needs a name.' : correctionOf(fault)}
    >
      <TextField label="New name" value={text} onChange={setText} fault={fault} autoFocus />
    </Form>
  );
}
