/** An argument that cannot be used; its message goes on behind the argument's name. */
export class InputError extends Error {
  override readonly name = 'InputError';
  readonly argument: string;

  constructor(argument: string, message: string) {
    super(message);
    this.argument = argument;
  }
}
