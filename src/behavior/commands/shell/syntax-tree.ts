/** The only file that imports unbash: its syntax tree of bash 5.3, with positions and lazy word parts. */
export type * from "unbash";
export { forEachChild, parse } from "unbash";
