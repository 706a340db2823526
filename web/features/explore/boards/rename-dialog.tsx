import { type ReactNode, useState } from 'react';
import { savedNameFault } from '../../../lib/name-faults.ts';
import { correctionOf, Form } from '../../../ui/form/form.tsx';
import { TextField } from '../../../ui/form/text-field.tsx';
import { Dialog } from '../../../ui/overlay/dialog.tsx';

export interface RenameDialogProps {
  readonly title: string;
  readonly label: string;
  readonly name: string;
  readonly submit: string;
  readonly onSubmit: (name: string) => Promise<void>;
  readonly onClose: () => void;
}

/** Asks for the name of a board, or for the title of a panel. */
export function RenameDialog({ title, label, name, submit, onSubmit, onClose }: RenameDialogProps): ReactNode {
  const [given, setGiven] = useState(name);
  const fault = savedNameFault(given);
  return (
    <Dialog title={title} isOpen onClose={onClose}>
      <Form
        label={title}
        submit={submit}
        onSubmit={() => onSubmit(given.trim())}
        onCancel={onClose}
        missing={given.trim() === '' ? `${label} is missing.` : correctionOf(fault)}
      >
        <TextField label={label} value={given} onChange={setGiven} fault={fault} isRequired autoFocus />
      </Form>
    </Dialog>
  );
}
