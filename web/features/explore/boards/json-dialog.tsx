import { type ReactNode, useState } from 'react';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { Form } from '../../../ui/form/form.tsx';
import { TextField } from '../../../ui/form/text-field.tsx';
import { Dialog } from '../../../ui/overlay/dialog.tsx';

export interface JsonDialogProps {
  readonly title: string;
  readonly initial: unknown;
  readonly submit: string;
  readonly onSubmit: (value: unknown) => Promise<void>;
  readonly onClose: () => void;
  readonly isReadOnly?: boolean;
  /** Of what is there already. */
  readonly canCopy?: boolean;
}

/** A value as JSON, to be copied, changed and sent. */
export function JsonDialog({ title, initial, submit, onSubmit, onClose, isReadOnly = false, canCopy = false }: JsonDialogProps): ReactNode {
  const [text, setText] = useState(() => JSON.stringify(initial, null, 2));
  const fault = faultOf(text);
  return (
    <Dialog title={title} isOpen isWide onClose={onClose}>
      {canCopy && <CopyButton text={text} label="Copy the JSON" />}
      <Form
        label={title}
        submit={isReadOnly ? undefined : submit}
        onSubmit={() => onSubmit(JSON.parse(text))}
        onCancel={onClose}
        missing={fault === undefined ? undefined : 'This is not JSON.'}
      >
        <TextField label="JSON" value={text} onChange={setText} lines={24} isCode fault={fault} />
      </Form>
    </Dialog>
  );
}

function faultOf(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : 'This is not JSON.';
  }
}
