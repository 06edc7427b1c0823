//! Records of shogi and minishogi from the outside: every format, there and back, in the styles of many programs.

mod dialects;
mod exchange;
mod hostile;
mod random_record;
mod round_trips;
