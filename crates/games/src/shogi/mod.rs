//! Shogi on nine by nine and minishogi on five by five squares, from one table of constants.
