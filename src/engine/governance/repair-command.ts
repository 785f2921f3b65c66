/** What an operator runs when the governance journal is damaged. */
export const REPAIR_COMMAND = "conduct journal repair";
