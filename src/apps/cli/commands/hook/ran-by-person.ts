/** For a person who runs a hook's command in a terminal: no event will arrive there. */
export function ranByPerson(runtime: string, doctor: string): string {
  return `  ${runtime} runs this command at its hooks and sends it the event; there is nothing to type.\n  To check the setup: ${doctor}`;
}
