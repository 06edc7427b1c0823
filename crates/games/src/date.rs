//! Dates as records write them. The clock is read elsewhere: these are functions of the seconds since 1970.

/// A day and a time of the Gregorian calendar, in UTC.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Date {
    /// The year.
    pub year: u64,
    /// The month, from 1.
    pub month: u64,
    /// The day, from 1.
    pub day: u64,
    /// Hours, minutes, seconds.
    pub time: [u64; 3],
}

const DAY: u64 = 86_400;
/// Days of the months of a year that begins with March, so that the leap day is its last.
const MONTHS: [u64; 12] = [31, 30, 31, 30, 31, 31, 30, 31, 30, 31, 31, 29];
/// From the 1st of March of the year 0 to the 1st of January of 1970.
const EPOCH: u64 = 719_468;

impl Date {
    /// The date of this many seconds since 1970.
    pub fn of(seconds: u64) -> Date {
        let days = seconds / DAY + EPOCH;
        // 400 years are 146 097 days, 100 of them 36 524 (the fourth century has one more), four years 1461 (the last of a century one
        // less).
        let (era, day) = (days / 146_097, days % 146_097);
        let century = (day / 36_524).min(3);
        let day = day - century * 36_524;
        let (four, day) = (day / 1461, day % 1461);
        let year = (day / 365).min(3);
        let mut day = day - year * 365;
        let mut month = 0;
        while day >= MONTHS[month] {
            day -= MONTHS[month];
            month += 1;
        }
        let year = era * 400 + century * 100 + four * 4 + year + u64::from(month >= 10);
        let time = seconds % DAY;
        let month = (month as u64 + 2) % 12 + 1;
        Date { year, month, day: day + 1, time: [time / 3600, time / 60 % 60, time % 60] }
    }

    /// `2026-11-16`: the date of SGF.
    pub fn sgf(self) -> String {
        format!("{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }

    /// `2026/11/16 20:14:39`: the date of KIF and CSA.
    pub fn kif(self) -> String {
        let [hours, minutes, seconds] = self.time;
        format!("{:04}/{:02}/{:02} {hours:02}:{minutes:02}:{seconds:02}", self.year, self.month, self.day)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What `date --utc --date=@SECONDS` prints.
    #[test]
    fn known_dates() {
        for (seconds, date) in [
            (0, "1970/01/01 00:00:00"),
            (68_169_599, "1972/02/28 23:59:59"),
            (68_169_600, "1972/02/29 00:00:00"),
            (68_256_000, "1972/03/01 00:00:00"),
            (946_684_799, "1999/12/31 23:59:59"),
            (951_782_400, "2000/02/29 00:00:00"),
            (1_794_860_079, "2026/11/16 20:14:39"),
            (4_107_542_399, "2100/02/28 23:59:59"),
            (4_107_542_400, "2100/03/01 00:00:00"),
        ] {
            assert_eq!(Date::of(seconds).kif(), date);
        }
        assert_eq!(Date::of(1_794_860_079).sgf(), "2026-11-16");
    }
}
