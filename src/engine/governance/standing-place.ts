/** Where a standing rule stands, as decisions tell it: an agent's own rule of the same id stands elsewhere. */
export function standingPlace(id: string): string {
  return `rule ${id}`;
}
